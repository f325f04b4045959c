import { encodeDocument } from '../bson/encode.ts';
import { type Literal, toDocument } from '../bson/values.ts';
import type { Connection } from '../storage/connection.ts';
import { insertDocument } from '../storage/documents.ts';
import { planQuery } from '../storage/planner.ts';
import { countExactly } from '../storage/scan.ts';
import { Store } from '../storage/store.ts';
import { temporaryFolder } from './helper.ts';

type Fields = { [name: string]: Literal };

const { folder, remove } = temporaryFolder();
const store = new Store(`${folder}/choice.sqlite`, 'NORMAL');
afterAll(() => {
  store.close();
  remove();
});

let collections = 0;
/** A collection with these indexes, each named after its fields. */
function collectionOf(indexes: [key: Fields, options?: Fields][], documents: Fields[]) {
  const context = store.context();
  collections += 1;
  const collection = store.createCollection(context, `db.choice${collections}`);
  for (const [key, more = {}] of indexes) {
    const name = Object.keys(key).join();
    store.createIndex(context, collection, toDocument({ key, name, ...more }));
  }
  store.main.exec('BEGIN');
  for (const [_id, fields] of documents.entries()) {
    const document = toDocument({ _id, ...fields });
    insertDocument(context, collection, encodeDocument(document), document);
  }
  store.main.exec('COMMIT');
  return collection;
}

const indexFor = (
  collection: ReturnType<typeof collectionOf>,
  filter: Fields,
  sort?: Fields,
): string | undefined =>
  planQuery(store.main, collection, {
    filter: toDocument(filter),
    sort: sort && toDocument(sort),
  }).index?.name;

const range = (count: number, of: (n: number) => Fields): Fields[] =>
  Array.from({ length: count }, (_, n) => of(n));

/** What the planner asks the database file while it plans. */
function looksAt(work: () => void): string[] {
  const get = jest.spyOn(store.main as Connection, 'get');
  work();
  const asked = get.mock.calls.map(([sql]) => sql);
  get.mockRestore();
  return asked;
}

describe('of several indexes the planner takes', () => {
  it('a range with few entries rather than an equality with many', () => {
    const collection = collectionOf(
      [[{ kind: 1 }], [{ at: 1 }]],
      range(3_000, (n) => ({ kind: n % 2, at: n })),
    );
    expect(indexFor(collection, { kind: 1, at: { $lt: 10 } })).toBe('at');
    expect(indexFor(collection, { kind: 1, at: { $lt: 2_900 } })).toBe('kind');
    expect(indexFor(collection, { kind: 7, at: { $lt: 10 } })).toBe('kind');
  });

  it('a range rather than an equality that every entry of a partial index has, without a look', () => {
    const options = { partialFilterExpression: { live: true } };
    const collection = collectionOf(
      [
        [{ live: 1, group: 1 }, options],
        [{ at: 1 }, options],
      ],
      range(100, (n) => ({ live: true, group: n, at: n })),
    );
    const overdue = { live: true, at: { $lt: 90 }, worker: { $exists: false } };
    const asked = looksAt(() => expect(indexFor(collection, overdue)).toBe('at'));
    expect(asked).toEqual([]);
  });

  it('a partial index with few documents rather than equalities with many', () => {
    const partial = { partialFilterExpression: { marked: true } };
    const collection = collectionOf(
      [[{ group: 1, kind: 1 }], [{ marked: 1 }, partial]],
      range(1_000, (n) => ({ group: 1, kind: 1, ...(n % 100 ? {} : { marked: true }) })),
    );
    expect(indexFor(collection, { group: 1, kind: 1, marked: true })).toBe('marked');
    expect(indexFor(collection, { group: 2, kind: 1, marked: true })).toBe('group,kind');
    expect(indexFor(collection, { group: 1, kind: 1, marked: { $ne: false } })).toBe('group,kind');
  });

  it('the index in which the documents without a field stand together, in the order of the sort', () => {
    const collection = collectionOf(
      [[{ group: 1, owner: 1, at: 1 }], [{ group: 1 }]],
      range(100, (n) => ({ group: 1, at: n, ...(n % 2 ? { owner: n } : {}) })),
    );
    const unowned = { group: 1, owner: { $exists: false } };
    const asked = looksAt(() => expect(indexFor(collection, unowned)).toBe('group,owner,at'));
    expect(asked).toEqual([]);
  });

  it('the index that bounds a field more, without a look', () => {
    const collection = collectionOf(
      [[{ a: 1 }], [{ a: 1, b: 1, c: 1 }], [{ b: 1 }]],
      range(100, (n) => ({ a: 1, b: n % 3, c: n })),
    );
    const asked = looksAt(() =>
      expect(indexFor(collection, { a: 1, b: 2, c: { $gt: 5 } })).toBe('a,b,c'),
    );
    expect(asked).toEqual([]);
  });

  it('the order of a sort where much would have to be sorted, and few documents where they are few', () => {
    const collection = collectionOf(
      [[{ group: 1, at: 1 }], [{ person: 1 }]],
      range(4_000, (n) => ({ group: 1, at: n, person: n % 1_000 ? 1 : 2 })),
    );
    expect(indexFor(collection, { group: 1, person: 1 }, { at: -1 })).toBe('group,at');
    expect(indexFor(collection, { group: 1, person: 2 }, { at: -1 })).toBe('person');
    expect(indexFor(collection, { group: 9, person: 2 }, { at: -1 })).toBe('group,at');
  });

  it('a unique key without a look, and counts no list of unique keys', () => {
    const collection = collectionOf(
      [[{ key: 1 }, { unique: true }], [{ kind: 1 }]],
      range(1_000, (n) => ({ key: n, kind: 1 })),
    );
    const asked = looksAt(() => {
      expect(indexFor(collection, { kind: 1, key: 3 })).toBe('key');
      expect(indexFor(collection, { kind: 1, _id: 3 })).toBe('_id_');
    });
    expect(asked).toEqual([]);
    const counted = looksAt(() =>
      expect(indexFor(collection, { kind: 1, key: { $in: [1, 2, 3] } })).toBe('key'),
    );
    expect(counted).toHaveLength(1);
  });

  it('any of those that all hold too many to count, after looks that are bounded', () => {
    const collection = collectionOf(
      [[{ a: 1 }], [{ b: 1 }]],
      range(5_000, () => ({ a: 1, b: 1 })),
    );
    const asked = looksAt(() => expect(indexFor(collection, { a: 1, b: 1 })).toBe('a'));
    expect(asked.length).toBeLessThanOrEqual(6);
    expect(asked.every((sql) => / LIMIT \?\)$/.test(sql))).toBe(true);
  });

  it('an index with fewer entries than one that bounds more fields and has met arrays', () => {
    const collection = collectionOf(
      [[{ kind: 1 }], [{ kind: 1, tags: 1 }]],
      range(3, () => ({ kind: 1, tags: Array.from({ length: 50 }, (_, tag) => tag + 1) })),
    );
    expect(indexFor(collection, { kind: 1, tags: { $gt: 0 } })).toBe('kind');
  });

  it('the order of a sort, also beside an index that is narrowed more and does not give it', () => {
    const partial = { partialFilterExpression: { live: true } };
    const collection = collectionOf(
      [[{ live: 1, at: 1 }], [{ due: 1 }, partial]],
      range(400, (n) => ({ live: true, at: n, due: n })),
    );
    const filter = { live: true, due: { $gte: 0 } };
    expect(indexFor(collection, filter, { at: 1 })).toBe('live,at');
    expect(indexFor(collection, { live: true, due: { $gte: 390 } }, { at: 1 })).toBe('due');
  });

  it('the order of a sort rather than 500 documents that would have to be sorted', () => {
    const collection = collectionOf(
      [[{ group: 1, at: 1 }], [{ person: 1 }]],
      range(1_000, (n) => ({ group: 1, at: n, person: n % 2 })),
    );
    expect(indexFor(collection, { group: 1, person: 1 }, { at: 1 })).toBe('group,at');
    expect(indexFor(collection, { group: 1, person: 1 })).toBe('person');
  });

  it('the smaller of two after looks that are bounded, also at values that nothing has', () => {
    const collection = collectionOf(
      [[{ key: 1 }], [{ kind: 1 }]],
      range(40, () => ({ kind: 1 })),
    );
    const absent = Array.from({ length: 5_000 }, (_, n) => n);
    const asked = looksAt(() =>
      expect(indexFor(collection, { key: { $in: absent }, kind: 1 })).toBe('kind'),
    );
    expect(asked).toHaveLength(32 + 1 + 256 + 1);
  });

  it('a partial index with few documents rather than one that bounds more of its fields', () => {
    const partial = { partialFilterExpression: { marked: true } };
    const collection = collectionOf(
      [[{ kind: 1, group: 1 }], [{ kind: 1 }, partial]],
      range(1_000, (n) => ({ group: 1, kind: 1, ...(n % 100 ? {} : { marked: true }) })),
    );
    expect(indexFor(collection, { group: 1, kind: 1, marked: true })).toBe('kind');
    expect(indexFor(collection, { group: 2, kind: 1, marked: true })).toBe('kind,group');
  });

  it.each<[string, Fields, (n: number) => Fields]>([
    ['is partial', { partialFilterExpression: { live: true } }, (key) => ({ key })],
    ['has met arrays', {}, (n) => ({ key: [2 * n, 2 * n + 1] })],
  ])('a unique key by its entries where its index %s', (_, options, fields) => {
    const collection = collectionOf(
      [[{ key: 1 }, { unique: true, ...options }], [{ kind: 1 }]],
      range(100, (n) => ({ live: true, kind: 1, ...fields(n) })),
    );
    const filter = { live: true, kind: 1 };
    const asked = looksAt(() => expect(indexFor(collection, { ...filter, key: 3 })).toBe('key'));
    expect(asked).toHaveLength(2);
    const counted = looksAt(() =>
      expect(indexFor(collection, { ...filter, key: { $in: [1, 2, 3] } })).toBe('key'),
    );
    expect(counted).toHaveLength(4);
  });
});

it('counts in an index as far as a limit says, and no further', () => {
  const collection = collectionOf(
    [[{ a: 1 }]],
    range(500, (n) => ({ a: n % 5 })),
  );
  const [, index] = collection.indexes;
  const plan = planQuery(store.main, collection, {
    filter: toDocument({ a: { $in: [1, 2] } }),
    sort: undefined,
  });
  const asked = looksAt(() => expect(countExactly(store.main, collection, plan, 30)).toBe(30));
  expect(asked).toEqual([index?.sql.countUpTo]);
  expect(countExactly(store.main, collection, plan, 150)).toBe(150);
  expect(countExactly(store.main, collection, plan, 1_000)).toBe(200);
  expect(countExactly(store.main, collection, plan)).toBe(200);
});
