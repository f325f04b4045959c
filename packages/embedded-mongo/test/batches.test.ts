import type { Document, Literal } from '../bson/values.ts';
import { checkStore } from '../storage/check.ts';
import { lsidOf, pingsDuring, type TestEngine, testEngine, turns } from './engine.ts';

let test: TestEngine;
beforeEach(() => {
  test = testEngine();
});
afterEach(() => {
  expect(checkStore(test.engine.store)).toEqual([]);
  test.close();
});

const MANY = 6000;
const numbered = Array.from({ length: MANY }, (_, i) => i);
const documents = numbered.map((_id) => ({ _id, pad: 'x'.repeat(200) }));

const COMMANDS: [string, { [field: string]: Literal }][] = [
  ['insertions', { insert: 't', documents }],
  [
    'insertions that all fail',
    { insert: 't', documents: documents.map(() => ({ _id: 0 })), ordered: false },
  ],
  [
    'updates',
    {
      update: 't',
      updates: numbered.map((_id) => ({ q: { _id }, u: { $set: { n: 1 } }, upsert: true })),
    },
  ],
  ['deletions', { delete: 't', deletes: numbered.map((_id) => ({ q: { _id }, limit: 1 })) }],
];

it.each(COMMANDS)('others have their turns during many %s', async (_, command) => {
  expect(await pingsDuring(test, () => test.send(command))).toBeGreaterThan(10);
});

/** Begins a command and returns once documents were written and others have their turns. */
async function begin(command: { [field: string]: Literal }): Promise<{ done: Promise<Document> }> {
  const done = test.send(command);
  while ((await test.find('t', {})).length === 0) await turns(1);
  return { done };
}

const retryable = { lsid: lsidOf(1), txnNumber: 1n };

it.each([true, false])(
  'a retry after a crash goes on from there (ordered: %s)',
  async (ordered) => {
    const given = [...documents, { _id: 0 }];
    const command = { insert: 't', documents: given, ordered, ...retryable };
    const { done } = await begin(command);
    const crashed = testEngine(test);
    const reply = await done;
    expect(reply.get('n')).toBe(MANY);
    expect(reply.get('writeErrors')).toHaveLength(1);
    test.close();
    test = crashed;
    const before = await test.find('t', {});
    expect(before.length).toBeGreaterThan(0);
    expect(before.length).toBeLessThan(MANY);
    expect(await test.send(command)).toEqual(reply);
    expect(await test.send(command)).toEqual(reply);
    expect(await test.find('t', {})).toHaveLength(MANY);
  },
);

it('insertions go on in a new collection when theirs was dropped', async () => {
  const { done } = await begin({ insert: 't', documents });
  await test.send({ drop: 't' });
  expect((await done).get('n')).toBe(MANY);
  const found = await test.find('t', {});
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThan(MANY);
});

it('an index that is made meanwhile has all that is inserted', async () => {
  const { done } = await begin({ insert: 't', documents });
  const index = { key: { pad: 1, _id: -1 }, name: 'i' };
  await test.send({ createIndexes: 't', indexes: [index] });
  await done;
  const hinted = await test.send({ count: 't', query: { pad: { $gte: '' } }, hint: 'i' });
  expect(hinted.get('n')).toBe(MANY);
});
