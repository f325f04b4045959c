// @ts-expect-error the driver has no types for what it does not export
import { isRetryableReadError, isStateChangeError } from 'mongodb/lib/error.js';
import { createConnection, mongo } from 'mongoose';
import { isDatabaseAway } from '../../../mixins/failures.ts';
import { dataFolder, stopServers } from '../../helpers/server.ts';
import { startDatabase } from '../../helpers/spread.ts';

const answered = (code: number) => new mongo.MongoServerError({ message: 'no', code, ok: 0 });
const CODES = Array.from({ length: 15_000 }, (_, code) => code);

describe('a database that is away', () => {
  it('is known by every code that the driver takes for a change of state or tries again for', () => {
    const away = CODES.filter((code) => {
      const error = answered(code);
      return isStateChangeError(error) || isRetryableReadError(error);
    });
    expect(away).toEqual(expect.arrayContaining([10107, 13435, 11602, 189, 91, 11600, 10058]));
    expect(away.filter((code) => !isDatabaseAway(answered(code)))).toEqual([]);
  });

  it.each([11000, 85, 50, 13, 59])(
    'is not what answers with code %i: that is a refusal',
    (code) => {
      expect(isDatabaseAway(answered(code))).toBe(false);
    },
  );

  it('is known in what a bulk write makes of it', async () => {
    const database = await startDatabase(dataFolder());
    const options = { serverSelectionTimeoutMS: 200 };
    const connection = await createConnection(database.uri, options).asPromise();
    const rows = connection.collection('rows');
    await rows.insertOne({});
    database.process.kill('SIGKILL');
    await database.exited;
    const update = { updateOne: { filter: {}, update: { $set: { n: 1 } } } };
    // The first meets the open connection, the others find no server.
    for (const write of [() => rows.bulkWrite([update]), () => rows.insertMany([{}])]) {
      const error = await write().catch((thrown: unknown) => thrown);
      expect([error, isDatabaseAway(error)]).toEqual([expect.any(mongo.MongoBulkWriteError), true]);
    }
    await connection.close();
    await stopServers();
  });

  it('is one that refuses our login', () => {
    expect(isDatabaseAway(answered(18))).toBe(true);
  });
});
