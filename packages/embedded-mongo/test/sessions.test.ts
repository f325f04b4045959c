import { type Collection, type Document, ReadConcern } from 'mongodb';
import { BinData, type Literal, toDocument } from '../bson/values.ts';
import { startEmbeddedMongo } from '../index.ts';
import { errorOf, type TestServer, temporaryFolder, testServer } from './helper.ts';
import { connectWire } from './wire-client.ts';

type Thing = Document & { _id: number };

describe('transactions', () => {
  let test: TestServer;
  let things: Collection<Thing>;
  let n = 0;
  beforeAll(async () => {
    test = await testServer();
  });
  afterAll(() => test.stop());
  beforeEach(async () => {
    things = test.db.collection<Thing>(`t${n++}`);
    await things.insertMany([
      { _id: 1, n: 0 },
      { _id: 2, n: 0 },
    ]);
  });

  it('read what was there when they began, whatever others write', async () => {
    const session = test.client.startSession();
    session.startTransaction({ readConcern: new ReadConcern('snapshot') });
    expect(await things.findOne({ _id: 1 }, { session })).toMatchObject({ n: 0 });
    await things.updateOne({ _id: 1 }, { $set: { n: 5 } });
    await things.insertOne({ _id: 3 });
    expect(await things.findOne({ _id: 1 }, { session })).toMatchObject({ n: 0 });
    expect(await things.find({}, { session }).toArray()).toHaveLength(2);
    await session.commitTransaction();
    expect(await things.findOne({ _id: 1 })).toMatchObject({ n: 5 });
    await session.endSession();
  });

  it('see their own writes, and others see none of them before the commit', async () => {
    const session = test.client.startSession();
    session.startTransaction();
    await things.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session });
    await test.db.collection<Thing>(`new${n}`).insertOne({ _id: 1 }, { session });
    expect(await things.findOne({ _id: 1 }, { session })).toMatchObject({ n: 1 });
    expect(await things.findOne({ _id: 1 })).toMatchObject({ n: 0 });
    expect(await test.db.collection(`new${n}`).countDocuments()).toBe(0);
    await session.commitTransaction();
    expect(await things.findOne({ _id: 1 })).toMatchObject({ n: 1 });
    expect(await test.db.collection(`new${n}`).countDocuments()).toBe(1);
    await session.endSession();
  });

  it('conflict when another has written since, with the label that lets a driver try again', async () => {
    const session = test.client.startSession();
    session.startTransaction();
    await things.findOne({ _id: 1 }, { session });
    await things.updateOne({ _id: 1 }, { $inc: { n: 1 } });
    const error = await errorOf(things.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session }));
    expect(error.code).toBe(112);
    expect(error.hasErrorLabel('TransientTransactionError')).toBe(true);
    await session.abortTransaction();
    await session.endSession();
    expect(await things.findOne({ _id: 1 })).toMatchObject({ n: 1 });
  });

  it('are not disturbed by what others write to collections they have not read', async () => {
    const others = test.db.collection<Thing>(`other${n}`);
    const session = test.client.startSession();
    session.startTransaction();
    await things.findOne({ _id: 1 }, { session });
    await others.insertOne({ _id: 1 });
    await things.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session });
    expect(await things.findOne({ _id: 1 }, { session })).toMatchObject({ n: 1 });
    await session.commitTransaction();
    await session.endSession();
    expect(await things.findOne({ _id: 1 })).toMatchObject({ n: 1 });
  });

  it('conflict over a collection that was not there when they looked', async () => {
    const others = test.db.collection<Thing>(`absent${n}`);
    const session = test.client.startSession();
    session.startTransaction();
    expect(await others.findOne({}, { session })).toBeNull();
    await others.insertOne({ _id: 1 });
    const late = things.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session });
    expect((await errorOf(late)).code).toBe(112);
    await session.endSession();
  });

  it('keep no one from writing for long when they follow one that met a conflict', async () => {
    const session = test.client.startSession();
    session.startTransaction();
    await things.findOne({ _id: 1 }, { session });
    await things.updateOne({ _id: 1 }, { $inc: { n: 1 } });
    await errorOf(things.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session }));
    await session.abortTransaction();
    session.startTransaction();
    await things.findOne({ _id: 1 }, { session });
    await things.updateOne({ _id: 2 }, { $inc: { n: 1 } });
    expect(await things.findOne({ _id: 2 }, { session })).toMatchObject({ n: 0 });
    await session.commitTransaction();
    await session.endSession();
  });

  it('conflict at once when another writes, also where the first statement writes', async () => {
    const [first, second] = [test.client.startSession(), test.client.startSession()];
    first.startTransaction();
    await things.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: first });
    for (let attempt = 0; attempt < 2; attempt++) {
      second.startTransaction();
      const late = things.updateOne({ _id: 2 }, { $inc: { n: 1 } }, { session: second });
      const error = await errorOf(late);
      expect(error.code).toBe(112);
      expect(error.hasErrorLabel('TransientTransactionError')).toBe(true);
      await second.abortTransaction();
    }
    second.startTransaction();
    expect(await things.findOne({ _id: 1 }, { session: second })).toMatchObject({ n: 0 });
    await second.commitTransaction();
    await first.commitTransaction();
    await Promise.all([first.endSession(), second.endSession()]);
  });

  it('keep others waiting no longer than those allow', async () => {
    const session = test.client.startSession();
    session.startTransaction();
    await things.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session });
    const name = things.collectionName;
    const waiting: Document[] = [
      { update: name, updates: [{ q: {}, u: { $inc: { n: 1 } } }] },
      { createIndexes: name, indexes: [{ key: { n: 1 }, name: 'n' }] },
      { drop: name },
    ];
    for (const command of waiting) {
      const late = await errorOf(test.db.command({ ...command, maxTimeMS: 1 }));
      expect(late.code).toBe(50);
    }
    await session.commitTransaction();
    await session.endSession();
    expect(await things.findOne({ _id: 1 })).toMatchObject({ n: 1 });
  });

  it('come through by retrying, all of them, under contention', async () => {
    const add = async (): Promise<void> => {
      const session = test.client.startSession();
      for (let i = 0; i < 5; i++) {
        await session.withTransaction(async () => {
          const thing = await things.findOne({ _id: 1 }, { session });
          await things.updateOne({ _id: 1 }, { $set: { n: thing?.n + 1 } }, { session });
        });
      }
      await session.endSession();
    };
    const alone = async (): Promise<void> => {
      for (let i = 0; i < 50; i++) await things.updateOne({ _id: 2 }, { $inc: { n: 1 } });
    };
    await Promise.all([add(), add(), add(), alone()]);
    expect(await things.findOne({ _id: 1 })).toMatchObject({ n: 15 });
    expect(await things.findOne({ _id: 2 })).toMatchObject({ n: 50 });
  });

  it('are over after an error, and leave nothing', async () => {
    const session = test.client.startSession();
    session.startTransaction();
    await things.insertOne({ _id: 9 }, { session });
    expect((await errorOf(things.insertOne({ _id: 1 }, { session }))).code).toBe(11000);
    const after = await errorOf(things.insertOne({ _id: 10 }, { session }));
    expect(after.code).toBe(251);
    expect(after.hasErrorLabel('TransientTransactionError')).toBe(true);
    await session.abortTransaction();
    await session.endSession();
    expect(await things.countDocuments()).toBe(2);
  });

  it('refuse what MongoDB refuses within them', async () => {
    const session = test.client.startSession();
    session.startTransaction();
    await things.findOne({}, { session });
    const refused = await errorOf(test.db.command({ count: things.collectionName }, { session }));
    expect(refused.code).toBe(263);
    await session.abortTransaction();
    await session.endSession();
  });
});

describe('retryable writes', () => {
  const lsid = toDocument({ id: new BinData(4, Buffer.alloc(16, 7)) });
  const count = (txnNumber: bigint) => ({
    update: 'c',
    updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }],
    $db: 'test',
    lsid,
    txnNumber,
  });

  it('are carried out once, also when they are sent again after a restart', async () => {
    const { folder, remove } = temporaryFolder();
    for (let round = 0; round < 2; round++) {
      const server = await startEmbeddedMongo({ folder });
      const wire = await connectWire(server.uri);
      const first = await wire.send(count(5n));
      expect(first.get('n')).toBe(1);
      expect(await wire.send(count(5n))).toEqual(first);
      expect((await wire.send(count(4n))).get('code')).toBe(225);
      const counted = await wire.send({ count: 'c', query: { n: 1 }, $db: 'test' });
      expect(counted.get('n')).toBe(1);
      wire.close();
      if (round === 0) {
        server.process.kill('SIGKILL');
        await server.exited;
      } else await server.stop();
    }
    remove();
  });

  it('have numbers that no transaction of their session has', async () => {
    const { folder, remove } = temporaryFolder();
    const server = await startEmbeddedMongo({ folder });
    const wire = await connectWire(server.uri);
    const codeOf = async (command: { [field: string]: Literal }, txnNumber: bigint) =>
      (await wire.send({ ...command, $db: 'test', lsid, txnNumber })).get('code');
    const within = { autocommit: false };
    const find = { find: 'c', ...within };
    const starting = { ...find, startTransaction: true };
    const { updates } = count(0n) as { updates: Literal };
    const write = { update: 'c', updates };
    expect(await codeOf(starting, 6n)).toBeUndefined();
    expect(await codeOf(write, 6n)).toBe(72);
    expect(await codeOf({ commitTransaction: 1, ...within }, 6n)).toBeUndefined();
    expect(await codeOf(write, 6n)).toBe(72);
    expect(await codeOf(starting, 6n)).toBe(117);
    expect(await codeOf(write, 7n)).toBeUndefined();
    expect(await codeOf(starting, 7n)).toBe(117);
    expect(await codeOf(find, 7n)).toBe(251);
    expect(await codeOf(starting, 8n)).toBeUndefined();
    wire.close();
    await server.stop();
    remove();
  });
});
