import { type Document, Double, type Literal } from '../bson/values.ts';
import { lsidOf, type TestEngine, testEngine } from './engine.ts';

type Fields = { [name: string]: Literal };

let test: TestEngine;
beforeAll(() => {
  test = testEngine();
});
afterAll(() => test.close());

const inserted = (writeConcern: Literal, more: Fields = {}): Fields => ({
  insert: 'c',
  documents: [{}],
  writeConcern,
  ...more,
});

const concernError = async (command: Fields): Promise<Literal[]> => {
  const reply = await test.send(command);
  const error = reply.get('writeConcernError') as Document | undefined;
  return [reply.get('ok'), error?.get('code'), error?.get('codeName')];
};

it.each<[number, Literal]>([
  [14, 5],
  [14, { j: 'x' }],
  [14, { fsync: 'x' }],
  [14, { wtimeout: 'x' }],
  [40415, { foo: 1 }],
  [9, { w: -1 }],
  [9, { w: 51 }],
  [9, { w: true }],
  [9, { j: true, fsync: true }],
  [238, { w: { dc: 1 } }],
])('%i is answered to the write concern %j, and nothing is written', async (code, concern) => {
  const before = await test.send({ count: 'c' });
  expect((await test.send(inserted(concern))).get('code')).toBe(code);
  expect(await test.send({ count: 'c' })).toEqual(before);
});

it.each<[string, Fields]>([
  ['insert', { documents: [{ _id: 'w' }] }],
  ['update', { updates: [{ q: {}, u: { $set: { a: 1 } } }] }],
  ['findAndModify', { update: { $set: { a: 2 } } }],
  ['createIndexes', { indexes: [{ key: { a: 1 }, name: 'a' }] }],
  ['dropIndexes', { index: 'a' }],
  ['delete', { deletes: [{ q: { _id: 'none' }, limit: 1 }] }],
  ['aggregate', { pipeline: [{ $out: 'out' }], cursor: {} }],
  ['collMod', {}],
  ['create', {}],
  ['drop', {}],
])('%s is done, and says that more members than there are did not do it', async (name, fields) => {
  const target = name === 'create' ? 'made' : name === 'drop' ? 'out' : 'w';
  await test.send({ insert: 'w', documents: [{}] });
  const command = { [name]: target, ...fields };
  const [more, mode] = [{ w: 10 }, { w: 'mode' }];
  const unsatisfiable = await concernError({ ...command, writeConcern: more });
  expect(unsatisfiable).toEqual([new Double(1), 100, 'UnsatisfiableWriteConcern']);
  if (['create', 'dropIndexes'].includes(name)) return;
  const unknown = await concernError({ ...command, writeConcern: mode });
  expect(unknown).toEqual([new Double(1), 79, 'UnknownReplWriteConcern']);
});

it('the error tells the write concern', async () => {
  const reply = await test.send(inserted({ w: 2, wtimeout: 5 }));
  const error = reply.get('writeConcernError') as Document;
  expect(error.get('errmsg')).toBe('Not enough data-bearing nodes');
  const info = error.get('errInfo') as Document;
  expect((info.get('writeConcern') as Document).get('w')).toBe(2);
});

it.each<[string, Literal]>([
  ['one member', { w: 1 }],
  ['the majority', { w: 'majority', wtimeout: 100 }],
  ['the journal', { j: 1 }],
  ['nothing', {}],
])('%s is fulfilled', async (_, concern) => {
  expect(await concernError(inserted(concern))).toEqual([new Double(1), undefined, undefined]);
});

it.each(['find', 'count', 'listIndexes'])('%s has no write concern', async (name) => {
  expect((await test.send({ [name]: 'c', writeConcern: { w: 1 } })).get('code')).toBe(72);
});

describe('a transaction', () => {
  const within = (txnNumber: bigint): Fields => ({
    lsid: lsidOf(7),
    txnNumber,
    autocommit: false,
  });

  it('has a write concern at its end only', async () => {
    const started = { ...within(1n), startTransaction: true };
    expect((await test.send(inserted({ w: 1 }, started))).get('code')).toBe(72);
  });

  it('is committed, and says that more members than there are did not commit it', async () => {
    const started = { ...within(2n), startTransaction: true };
    await test.send({ insert: 't', documents: [{ _id: 1 }], ...started });
    const commit = { commitTransaction: 1, ...within(2n), writeConcern: { w: 10 } };
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await concernError(commit)).toEqual([new Double(1), 100, 'UnsatisfiableWriteConcern']);
    expect(await test.find('t', {})).toHaveLength(1);
  });
});

it('a retry has the error of its own write concern', async () => {
  const write = { insert: 'r', documents: [{ _id: 1 }], lsid: lsidOf(8), txnNumber: 1n };
  expect((await concernError({ ...write, writeConcern: { w: 3 } }))[1]).toBe(100);
  expect((await concernError(write))[1]).toBeUndefined();
  expect(await test.find('r', {})).toHaveLength(1);
});
