import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { OutboundError } from '@workspace-automation/outbound-http';
// @ts-expect-error the driver has no types for what it does not export
import { isRetryableReadError, isStateChangeError } from 'mongodb/lib/error.js';
import { createConnection, Error as MongooseErrors, mongo } from 'mongoose';
import { isDatabaseAway, isStorageFull, outageOf } from '../../../support/database-outage.ts';
import { dataFolder, stopServers } from '../../helpers/server.ts';
import { startDatabase } from '../../helpers/spread.ts';

const answered = (code: number) => new mongo.MongoServerError({ message: 'no', code, ok: 0 });
const socketError = (syscall?: string, code = 'EPIPE') =>
  Object.assign(new Error('no'), { code, ...(syscall && { syscall }) });

/** The error of Node.js for a write after both ends of the socket have ended, and before the socket is closed. */
async function errorOfLateWrite(): Promise<Error> {
  const server = createServer((socket) => void socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  const failed = once(socket, 'error');
  socket.on('end', () => {
    socket.end();
    socket.write('x');
  });
  const [error] = await failed;
  server.close();
  return error;
}

const CODES = Array.from({ length: 15_000 }, (_, code) => code);

const KNOWN = [
  6, 7, 18, 43, 64, 89, 91, 100, 134, 189, 262, 371, 9001, 10058, 10107, 11600, 11602, 13435, 13436,
  14031,
];

describe('a database that is away', () => {
  it('is known by every code that the driver takes for a change of state or tries again for', () => {
    const away = CODES.filter((code) => {
      const error = answered(code);
      return isStateChangeError(error) || isRetryableReadError(error);
    });
    expect(away).toEqual(expect.arrayContaining([10107, 13435, 11602, 189, 91, 11600, 10058]));
    expect(away.filter((code) => !isDatabaseAway(answered(code)))).toEqual([]);
  });

  it.each(KNOWN)('is known by its code %i, which is logged', (code) => {
    expect(outageOf(answered(code))).toEqual({ code, message: 'no' });
  });

  it.each([
    [14_031, 'The disk is full', true],
    [371, 'User writes blocked, reason: DiskUseThresholdExceeded', true],
    [371, 'User writes blocked, reason: ClusterToClusterMigrationInProgress', false],
    [91, 'DiskUseThresholdExceeded', false],
  ])('has a full disk by code %i and message "%s": %s', (code, message, isFull) => {
    expect(isStorageFull({ code, message })).toBe(isFull);
  });

  it('is known by no other code', () => {
    expect(CODES.filter((code) => isDatabaseAway(answered(code)))).toEqual(KNOWN);
  });

  it.each([11000, 85, 79, 50, 13, 59, 112, 133, 237, 365, 11601])(
    'is not what answers with code %i: that is a refusal',
    (code) => {
      expect(isDatabaseAway(answered(code))).toBe(false);
    },
  );

  it.each([
    [
      'a failed request of a flow',
      new OutboundError('CONNECTION_FAILED', 'no', socketError('write')),
    ],
    ['a wrapper of an outage', new Error('no', { cause: answered(91) })],
    ['a socket that is read', socketError('read')],
    ['a reset without a call of the system', socketError(undefined, 'ECONNRESET')],
  ])('is not the origin of %s', (_, error) => {
    expect(isDatabaseAway(error)).toBe(false);
  });

  it('is the origin of a socket that is written to, also below an error of the driver', () => {
    const cut = socketError('write');
    expect(outageOf(cut)).toEqual({ code: 'EPIPE', message: 'no' });
    expect(outageOf(new mongo.MongoRuntimeError('no', { cause: cut }))?.code).toBe('EPIPE');
    expect(outageOf(new MongooseErrors('no'))).toBeNull();
    expect(outageOf(Object.assign(new MongooseErrors('no'), { cause: cut }))?.code).toBe('EPIPE');
  });

  it('is the origin of a write to a socket that the server has ended', async () => {
    const error = await errorOfLateWrite();
    expect(outageOf(error)).toEqual({
      code: 'EPIPE',
      message: 'This socket has been ended by the other party',
    });
    expect(isDatabaseAway(new mongo.MongoServerError(error))).toBe(true); // as in a bulk write
  });

  it('is looked for once in each error of a cycle', () => {
    const one = new mongo.MongoRuntimeError('one');
    const other = new mongo.MongoRuntimeError('other', { cause: one });
    Object.assign(one, { cause: other });
    expect(isDatabaseAway(one)).toBe(false);
    expect(isDatabaseAway(new AggregateError([one, other, answered(91)]))).toBe(true);
  });

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
