import { type Document, Double, type Literal, Regex } from '../bson/values.ts';
import { type TestEngine, testEngine } from './engine.ts';

type Fields = { [name: string]: Literal };

let test: TestEngine;
beforeAll(async () => {
  test = testEngine();
  await test.send({ insert: 'c', documents: [{ _id: 1, r: { $ref: 'x', $id: 5 } }] });
});
afterAll(() => test.close());

const create = (...indexes: Fields[]) => test.send({ createIndexes: 'c', indexes });
const named = (key: Literal, more: Fields = {}): Fields => ({ key, name: 'i', ...more });
const partial = (partialFilterExpression: Literal): Fields =>
  named({ a: 1 }, { partialFilterExpression });

async function listed(): Promise<Document[]> {
  const reply = await test.send({ listIndexes: 'c' });
  return (reply.get('cursor') as Document).get('firstBatch') as Document[];
}

it.each<[number, Fields]>([
  [2, { key: { _id: -1 }, name: 'i' }],
  [197, { key: { _id: 1 }, name: '_id_', unique: true }],
  [197, { key: { _id: 1 }, name: '_id_', expireAfterSeconds: 5 }],
  [2, { key: { a: 1 }, name: '*' }],
  [2, { key: { a: 1 }, name: '_id_' }],
  [67, { key: { a: 1 }, name: '' }],
  [9, { key: { a: 1 } }],
  [9, { name: 'i' }],
  [14, { key: { a: 1 }, name: 5 }],
  [14, named(5)],
  [67, named({})],
  [67, named({ a: 0 })],
  [67, named({ a: new Double(Number.NaN) })],
  [67, named({ a: '' })],
  [67, named({ a: 'x' })],
  [67, named({ a: true })],
  [67, named({ a: null })],
  [67, named({ '': 1 })],
  [67, named({ 'a..b': 1 })],
  [67, named({ $a: 1 })],
  [67, named({ 'a.$b': 1 })],
  [67, named({ $id: 1 })],
  [67, named({ ['a'.repeat(2100)]: 1 })],
  [67, named({ 'a.$**': 1 })],
  [197, named({ a: 1 }, { foo: 1 })],
  [14, named({ a: 1 }, { unique: 'x' })],
  [14, named({ a: 1 }, { sparse: null })],
  [14, named({ a: 1 }, { hidden: 1 })],
  [67, named({ a: 1 }, { hidden: true })],
  [67, named({ a: 1 }, { prepareUnique: true })],
  [67, named({ a: 1 }, { weights: { a: 1 } })],
  [14, named({ a: 1 }, { v: 'x' })],
  [67, named({ a: 1 }, { v: 0 })],
  [14, named({ a: 1 }, { collation: 5 })],
  [2, named({ a: 1 }, { collation: {} })],
  [238, named({ a: 1 }, { collation: { locale: 'de' } })],
  [67, named({ a: 1 }, { expireAfterSeconds: -1 })],
  [67, named({ a: 1 }, { expireAfterSeconds: 'x' })],
  [67, named({ a: 1 }, { expireAfterSeconds: new Double(Number.NaN) })],
  [67, named({ a: 1, b: 1 }, { expireAfterSeconds: 5 })],
  [14, partial(5)],
  [67, partial({ a: new Regex('x', '') })],
  [67, partial({ $and: [{ a: new Regex('x', '') }] })],
  [67, partial({ a: { $regex: 'x' } })],
  [67, partial({ a: { $ne: 1 } })],
  [67, partial({ a: { $exists: false } })],
  [67, partial({ a: { $not: { $gt: 1 } } })],
  [67, partial({ $nor: [{ a: 1 }] })],
  [67, partial({ $or: [{ a: 1 }] })],
  [224, partial({ $expr: true })],
  [67, named({ a: 1 }, { sparse: true, partialFilterExpression: { a: 1 } })],
])('%i is answered to %j', async (code, spec) => {
  expect((await create(spec)).get('code')).toBe(code);
  expect(await listed()).toHaveLength(1);
});

it('the _id index may be asked for, under any name', async () => {
  const reply = await create({ key: { _id: 1 }, name: 'mine' }, { key: { _id: 1 }, name: '_id_' });
  expect(reply.get('note')).toBe('all indexes already exist');
  expect(await listed()).toHaveLength(1);
});

it('one command names an index once', async () => {
  const index = named({ twice: 1 });
  expect((await create(index, index)).get('code')).toBe(68);
  expect((await create(index, { ...index, name: 'j' })).get('code')).toBe(85);
  expect((await create(index, { ...index, key: { b: 1 } })).get('code')).toBe(86);
  expect(await listed()).toHaveLength(1);
});

it('unknown options are left out when they are to be', async () => {
  const indexes = [named({ a: 1 }, { foo: 1, v: 1, sparse: 1, ns: 'x', background: true })];
  await test.send({ createIndexes: 'c', indexes, ignoreUnknownIndexOptions: true });
  const [, made] = await listed();
  expect([...(made as Document).keys()]).toEqual(['v', 'key', 'name', 'sparse']);
  expect((made as Document).get('sparse')).toBe(true);
  await test.send({ dropIndexes: 'c', index: 'i' });
});

it('the fields of a reference may have an index', async () => {
  expect((await create(named({ 'r.$id': 1 }))).get('code')).toBeUndefined();
  expect(await test.find('c', { 'r.$id': 5 })).toHaveLength(1);
  await test.send({ dropIndexes: 'c', index: 'i' });
});

it.each<[number | undefined, Literal]>([
  [undefined, 'votingMembers'],
  [undefined, 'majority'],
  [undefined, 1],
  [278, 2],
  [79, 'mode'],
  [9, -1],
  [9, 51],
  [9, {}],
])('%p is answered to the commit quorum %j', async (code, commitQuorum) => {
  const reply = await test.send({
    createIndexes: 'quorum',
    indexes: [named({ a: 1 })],
    commitQuorum,
  });
  expect(reply.get('code')).toBe(code);
});
