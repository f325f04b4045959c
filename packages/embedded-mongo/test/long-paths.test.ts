import type { Document } from 'mongodb';
import { errorOf, type TestServer, testServer } from './helper.ts';

let test: TestServer;
beforeAll(async () => {
  test = await testServer();
  await test.db.collection('c').insertOne({ a: 1 });
});
afterAll(() => test.stop());

const OVERFLOW = 15;
const LONG = `x${'.a'.repeat(100_000)}`;

const updated = (update: Document): Promise<unknown> =>
  test.db.collection('c').updateOne({}, update);
const aggregated = (stage: Document): Promise<unknown> =>
  test.db.collection('c').aggregate([stage]).toArray();

// Each of these took seconds or the whole stack.
it.each<[string, () => Promise<unknown>]>([
  ['$set', () => updated({ $set: { [LONG]: 1 } })],
  ['$unset', () => updated({ $unset: { [LONG]: 1 } })],
  ['the source of $rename', () => updated({ $rename: { [LONG]: 'b' } })],
  ['the target of $rename', () => updated({ $rename: { b: LONG } })],
  ['$addFields', () => aggregated({ $addFields: { [LONG]: 1 } })],
  ['nested $addFields', () => aggregated({ $addFields: { [LONG.slice(0, 301)]: { [LONG]: 1 } } })],
  ['$project', () => aggregated({ $project: { [LONG]: 1 } })],
  ['an expression', () => aggregated({ $project: { b: `$${LONG}` } })],
  ['a variable', () => aggregated({ $project: { b: `$$ROOT.${LONG}` } })],
  ['$unwind', () => aggregated({ $unwind: `$${LONG}` })],
  [
    '$lookup',
    () => aggregated({ $lookup: { from: 'c', localField: 'a', foreignField: 'a', as: LONG } }),
  ],
  ['a projection', () => test.db.collection('c').findOne({}, { projection: { [LONG]: 1 } })],
])('%s refuses a path that no document can have', async (_, run) => {
  expect(await errorOf(run())).toMatchObject({ code: OVERFLOW });
});

it('a query by such a path finds nothing', async () => {
  expect(await test.db.collection('c').findOne({ [LONG]: 1 })).toBeNull();
});
