import { Double, type Literal } from '../bson/values.ts';
import { type TestEngine, testEngine } from './engine.ts';

let test: TestEngine;
beforeAll(async () => {
  test = testEngine();
  const documents = Array.from({ length: 20 }, (_, _id) => ({ _id, n: _id % 4 }));
  for (const insert of ['indexed', 'plain']) await test.send({ insert, documents });
  await test.send({ createIndexes: 'indexed', indexes: [{ key: { n: 1 }, name: 'n' }] });
});
afterAll(() => test.close());

it('skips more than there can be', async () => {
  const skip = 2n ** 63n - 1n;
  const reply = await test.send({ count: 'indexed', query: { n: 1 }, skip, limit: 2 });
  expect(reply.get('n')).toBe(0);
});

describe.each(['indexed', 'plain'])('a count in a collection that is %s', (count) => {
  const counted = async (options: { [name: string]: Literal }) =>
    (await test.send({ count, query: { n: 1 }, ...options })).get('n');

  it('leaves out what it skips, and counts as far as its limit', async () => {
    expect(await counted({ skip: 1, limit: 2 })).toBe(2);
    expect(await counted({ skip: 4, limit: 2 })).toBe(1);
    expect(await counted({ skip: 6, limit: 2 })).toBe(0);
    expect(await counted({ skip: 1, limit: -2 })).toBe(2);
    expect(await counted({ skip: 1 })).toBe(4);
  });

  it('cuts the fraction of its limit off', async () => {
    expect(await counted({ limit: new Double(2.5) })).toBe(2);
    expect(await counted({ limit: new Double(0.5) })).toBe(5);
  });

  it.each<[string, Literal]>([
    ['Long.MAX_VALUE', 2n ** 63n - 1n],
    ['Long.MIN_VALUE', -(2n ** 63n)],
    ['1e19', new Double(1e19)],
    ['infinity', new Double(Number.POSITIVE_INFINITY)],
    ['the largest safe integer', BigInt(Number.MAX_SAFE_INTEGER)],
  ])('has no limit by %s', async (_, limit) => {
    expect(await counted({ limit })).toBe(5);
    expect(await counted({ limit, skip: 1 })).toBe(4);
  });
});
