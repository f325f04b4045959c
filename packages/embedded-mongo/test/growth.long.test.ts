import type { Document } from 'mongodb';
import { errorOf, type TestServer, testServer } from './helper.ts';

interface Numbered extends Document {
  _id: number;
}

let test: TestServer;
beforeAll(async () => {
  test = await testServer();
  await test.db.collection<Numbered>('c').insertOne({ _id: 1 });
});
afterAll(() => test.stop());

const aggregated = (...stages: Document[]): Promise<Document[]> =>
  test.db.collection('c').aggregate(stages).toArray();

/** Repeats an expression, which reads its last value as $$value. */
const repeated = (times: number, initialValue: unknown, body: unknown): Document => ({
  $reduce: { input: { $range: [0, times] }, initialValue, in: body },
});
const doubled = { $concat: ['$$value', '$$value'] };
const million = { $range: [0, 1_000_000] };
const TOO_MUCH_MEMORY = 146;
const BUFFER_TOO_LARGE = 13548;

it.each<[string, Document, number]>([
  ['$concat', { $strLenCP: repeated(60, 'x', doubled) }, TOO_MUCH_MEMORY],
  [
    '$concatArrays',
    { $size: repeated(60, [1], { $concatArrays: ['$$value', '$$value'] }) },
    TOO_MUCH_MEMORY,
  ],
  ['$setUnion', { $setUnion: Array.from({ length: 20 }, () => million) }, TOO_MUCH_MEMORY],
  ['$zip', { $zip: { inputs: Array.from({ length: 20 }, () => million) } }, TOO_MUCH_MEMORY],
  [
    '$replaceAll',
    {
      $replaceAll: {
        input: repeated(20, 'x', doubled),
        find: 'x',
        replacement: repeated(20, 'x', doubled),
      },
    },
    TOO_MUCH_MEMORY,
  ],
  [
    'a value that holds another twice',
    repeated(150, [1], ['$$value', '$$value']),
    BUFFER_TOO_LARGE,
  ],
])('refuses an expression that grows without end: %s', async (_, expression, code) => {
  expect(await errorOf(aggregated({ $project: { x: expression } }))).toMatchObject({ code });
});

it('refuses a key that grows without end', async () => {
  const id = repeated(150, 1, { a: '$$value', b: '$$value' });
  expect(await errorOf(aggregated({ $group: { _id: id } }))).toMatchObject({
    code: BUFFER_TOO_LARGE,
  });
});

it('does not count what a $reduce has made before', async () => {
  const appended = { $concatArrays: ['$$value', ['$$this']] };
  const [{ n } = {}] = await aggregated({
    $project: { n: { $size: repeated(5000, [], appended) } },
  });
  expect(n).toBe(5000);
});

it('refuses a result that no driver reads', async () => {
  const text = repeated(22, 'xxxxx', doubled);
  expect(await errorOf(aggregated({ $project: { x: text } }))).toMatchObject({ code: 10334 });
});

it('$merge makes no document that is too large', async () => {
  const half = 'x'.repeat(9_000_000);
  await test.db.collection<Numbered>('halves').insertOne({ _id: 1, a: half });
  await test.db.collection<Numbered>('others').insertOne({ _id: 1, b: half });
  const merged = test.db
    .collection('others')
    .aggregate([{ $merge: 'halves' }])
    .toArray();
  expect(await errorOf(merged)).toMatchObject({ code: 17419 });
  expect(await test.db.collection('halves').countDocuments({ b: { $exists: true } })).toBe(0);
});

it('$unwind unwinds in portions', async () => {
  const range = { $range: [0, 100] };
  const [{ n } = {}] = await aggregated(
    { $project: { x: range, y: range } },
    { $unwind: '$x' },
    { $unwind: { path: '$y', includeArrayIndex: 'i' } },
    { $match: { $expr: { $eq: ['$y', '$i'] } } },
    { $count: 'n' },
  );
  expect(n).toBe(10_000);
});
