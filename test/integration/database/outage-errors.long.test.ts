import { type Connection, createConnection, mongo, Schema } from 'mongoose';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { isDatabaseAway, outageOf } from '../../../support/database-outage.ts';
import { type Reaction, ScriptedDatabase } from '../../helpers/scripted-database.ts';

interface Row {
  _id: number;
}

let database: ScriptedDatabase;
let connection: Connection;
beforeEach(async () => {
  database = await ScriptedDatabase.start();
});
afterEach(async () => {
  await connection.close();
  await database.stop();
});

/** A connection to the scripted database. Its selection of a server ends soon. */
async function open(options: mongo.MongoClientOptions = {}) {
  connection = await createConnection(database.uri, {
    serverSelectionTimeoutMS: 300,
    ...options,
  }).asPromise();
  return connection.model('Row', new Schema<Row>({ _id: Number }, { autoCreate: false }));
}
type Rows = Awaited<ReturnType<typeof open>>;

const errorOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: Error) => error,
  );

const failure = (code: number) => ({ ok: 0, code, errmsg: 'no' });
const statement = (index: number, code: number) => ({ index, code, errmsg: 'no' });
const notConcerned = (code: number) => ({
  ok: 1,
  n: 1,
  nModified: 1,
  writeConcernError: { code, errmsg: 'no' },
});

/** One operation of each kind that the services use. */
const OPERATIONS: [string, (rows: Rows) => Promise<unknown>][] = [
  ['find', (rows) => rows.find().lean()],
  ['findOne', (rows) => rows.findOne()],
  ['countDocuments', (rows) => rows.countDocuments()],
  ['aggregate', (rows) => rows.aggregate([{ $match: {} }])],
  ['create', (rows) => rows.create({ _id: 1 })],
  ['insertMany', (rows) => rows.insertMany([{ _id: 1 }, { _id: 2 }])],
  ['updateOne', (rows) => rows.updateOne({}, { $set: { _id: 1 } })],
  ['updateMany', (rows) => rows.updateMany({}, { $set: { _id: 1 } })],
  ['findOneAndUpdate', (rows) => rows.findOneAndUpdate({}, { $set: { _id: 1 } })],
  ['deleteOne', (rows) => rows.deleteOne({})],
  ['deleteMany', (rows) => rows.deleteMany({})],
  ['bulkWrite', (rows) => rows.bulkWrite([{ deleteOne: { filter: {} } }], { ordered: false })],
  ['a command', (rows) => rows.db.db?.command({ update: 'rows', updates: [] }) ?? fail()],
];
const WRITES = OPERATIONS.slice(4);
const fail = () => Promise.reject(new Error('there is no connection'));

const BROKEN: Reaction[] = ['hang-up', 'reset', 'half-an-answer', 'no-length'];

describe.each(OPERATIONS)('an outage met by %s', (_name, operate) => {
  it.each(BROKEN)('is known when the answer is %s', async (reaction) => {
    const rows = await open();
    database.follow(() => reaction);
    const error = await errorOf(operate(rows));
    expect([error, isDatabaseAway(error)]).toEqual([error, true]);
  });

  it.each([91, 189, 10107, 11600, 11602, 13435, 13436])('is known by the code %i', async (code) => {
    const rows = await open();
    database.follow(() => failure(code));
    const error = await errorOf(operate(rows));
    expect([error, isDatabaseAway(error)]).toEqual([error, true]);
  });

  it('is known when no server can be selected', async () => {
    const rows = await open();
    await database.stop();
    const errors = [await errorOf(operate(rows)), await errorOf(operate(rows))];
    expect(errors.filter((error) => !isDatabaseAway(error))).toEqual([]);
  });

  it('is known when the connection was closed', async () => {
    const rows = await open();
    await connection.close();
    const error = await errorOf(operate(rows));
    expect([error, isDatabaseAway(error)]).toEqual([error, true]);
  });

  it('is none when the command is refused', async () => {
    const rows = await open();
    database.follow(() => failure(59));
    expect(isDatabaseAway(await errorOf(operate(rows)))).toBe(false);
  });
});

it.each(WRITES)('a write concern that is not met is an outage: %s', async (name, operate) => {
  const rows = await open();
  for (const code of [64, 91, 100, 189, 11602]) {
    database.follow(() => notConcerned(code));
    const error = await errorOf(operate(rows));
    expect([name, code, error, isDatabaseAway(error)]).toEqual([name, code, error, true]);
  }
});

describe('one statement of several', () => {
  const three = (rows: Rows, ordered: boolean) =>
    errorOf(rows.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }], { ordered }));
  const answered = (...codes: number[]) => ({
    ok: 1,
    n: 3 - codes.length,
    writeErrors: codes.map((code, index) => statement(index, code)),
  });

  it.each([91, 189, 10107, 11600, 11602])('that met an outage tells of it: %i', async (code) => {
    const rows = await open();
    database.follow(() => answered(code));
    for (const ordered of [true, false])
      expect(isDatabaseAway(await three(rows, ordered))).toBe(true);
  });

  it('that met an outage is not hidden by duplicate keys', async () => {
    const rows = await open();
    database.follow(() => answered(11000, 11000, 91));
    const error = await three(rows, false);
    expect([isDatabaseAway(error), isDuplicateKey(error)]).toEqual([true, false]);
  });

  it('that met an outage is told of with its own message, not with the key of a duplicate', async () => {
    const rows = await open();
    const duplicate = { ...statement(0, 11000), errmsg: 'dup key: { email: "a@b.c" }' };
    database.follow(() => ({ ok: 1, n: 1, writeErrors: [duplicate, statement(1, 91)] }));
    expect(outageOf(await three(rows, false))).toEqual({ code: 91, message: 'no' });
    const errorLabels = ['RetryableWriteError'];
    database.follow(() => ({ ok: 1, n: 2, writeErrors: [duplicate], errorLabels }));
    expect(outageOf(await three(rows, false))?.message ?? '').not.toContain('a@b.c');
  });

  it('that is a duplicate is no outage, nor when it is refused besides', async () => {
    const rows = await open();
    database.follow(() => answered(11000, 11000));
    const duplicates = await three(rows, false);
    expect([isDatabaseAway(duplicates), isDuplicateKey(duplicates)]).toEqual([false, true]);
    database.follow(() => answered(11000, 121));
    const refused = await three(rows, false);
    expect([isDatabaseAway(refused), isDuplicateKey(refused)]).toEqual([false, false]);
  });

  it('that was not sent because of its value is a defect', async () => {
    const rows = await open();
    const wrong = [{ updateOne: { filter: { _id: 'no number' as never }, update: {} } }];
    const error = await errorOf(rows.bulkWrite(wrong, { throwOnValidationError: true }));
    expect(isDatabaseAway(error)).toBe(false);
  });
});

describe('a cursor', () => {
  const firstBatch = {
    ok: 1,
    cursor: { id: mongo.BSON.Long.fromNumber(7), ns: 'scripted.rows', firstBatch: [{ _id: 1 }] },
  };
  const all = (rows: Rows) =>
    errorOf(
      (async () => {
        for await (const row of rows.find().lean().cursor({ batchSize: 1 })) void row;
      })(),
    );

  it.each<Reaction>(['hang-up', 'half-an-answer', failure(43), failure(11602)])(
    'that is lost in the midst is an outage: %j',
    async (reaction) => {
      const rows = await open();
      database.follow((command) => (command === 'getMore' ? reaction : firstBatch));
      const error = await all(rows);
      expect([error, isDatabaseAway(error)]).toEqual([error, true]);
      expect(database.commands).toContain('getMore'); // it did get that far
    },
  );
});

describe('what an address of the operator may add', () => {
  it('no place in the pool within `waitQueueTimeoutMS`', async () => {
    const rows = await open({ maxPoolSize: 1, waitQueueTimeoutMS: 50 });
    database.follow(() => 'silence');
    const first = errorOf(rows.findOne().exec());
    const error = await errorOf(rows.findOne().exec());
    expect([error.name, isDatabaseAway(error)]).toEqual(['MongoWaitQueueTimeoutError', true]);
    await connection.close();
    expect(isDatabaseAway(await first)).toBe(true);
  });

  it('no answer within `socketTimeoutMS`', async () => {
    const rows = await open({ socketTimeoutMS: 50 });
    database.follow(() => 'silence');
    const error = await errorOf(rows.insertMany([{ _id: 1 }]));
    expect([error, isDatabaseAway(error)]).toEqual([error, true]);
  });
});

it('errors within errors are looked into', async () => {
  const rows = await open();
  database.follow(() => 'hang-up');
  const error = await errorOf(rows.findOne().exec());
  const other = new Error('something else');
  expect(isDatabaseAway(new AggregateError([other, error]))).toBe(true);
  expect(isDatabaseAway(new AggregateError([other]))).toBe(false);
});

it('a server that is overloaded is away', async () => {
  const rows = await open();
  const labels = ['SystemOverloadedError', 'RetryableError'];
  database.follow(() => ({ ...failure(462), errorLabels: labels, baseBackoffMS: 1 }));
  expect(isDatabaseAway(await errorOf(rows.findOne().exec()))).toBe(true);
});
