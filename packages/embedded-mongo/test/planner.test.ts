import { Decimal128 } from 'bson';
import fc from 'fast-check';
import { encodeDocument } from '../bson/encode.ts';
import { type Document, Double, type Literal, toDocument } from '../bson/values.ts';
import { compileFilter } from '../query/match.ts';
import { compileSortKey } from '../query/sort.ts';
import { checkStore } from '../storage/check.ts';
import { insertDocument, replaceDocument } from '../storage/documents.ts';
import { planQuery } from '../storage/planner.ts';
import { rowsOf } from '../storage/query.ts';
import { countExactly, type Row, type RowSource } from '../storage/scan.ts';
import { Store } from '../storage/store.ts';
import { temporaryFolder } from './helper.ts';

type Fields = { [name: string]: Literal };

/** Equal to the ints, and of other types. */
const twin = fc
  .constantFrom(0, 1, 2)
  .chain((n) =>
    fc.constantFrom<Literal>(new Double(n), BigInt(n), Decimal128.fromString(String(n))),
  );
const scalar = fc.oneof(
  { arbitrary: twin, weight: 1 },
  {
    arbitrary: fc.constantFrom<Literal>(0, 1, 2, 3, 1.5, 'a', 'ab', 'b', null, true, {}, { c: 1 }),
    weight: 4,
  },
);
const sub = fc.record(
  { b: fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), c: scalar },
  { requiredKeys: [] },
);
const field = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  sub,
  fc.array(fc.oneof(sub, scalar), { maxLength: 3 }),
);
const stored = fc.record<Fields>(
  { a: field, d: fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })) },
  { requiredKeys: [] },
);

const path = fc.constantFrom('a', 'a.b', 'a.c', 'd');
const operand = fc.oneof(
  { arbitrary: twin, weight: 1 },
  {
    arbitrary: fc.constantFrom<Literal>(0, 1, 2, 1.5, 'a', 'ab', null, true, { c: 1 }),
    weight: 4,
  },
);
const condition: fc.Arbitrary<Literal> = fc.oneof(
  operand,
  fc
    .tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte', '$eq', '$ne'), operand)
    .map(([o, v]) => ({ [o]: v })),
  fc.tuple(operand, operand).map(([v, w]) => ({ $gte: v, $lt: w })),
  fc.array(operand, { maxLength: 3 }).map((list) => ({ $in: list })),
  fc.constantFrom<Literal>(
    { $exists: true },
    { $exists: false },
    { $regex: '^a' },
    { $size: 2 },
    { $type: 'number' },
    { $type: 'int' },
  ),
  fc.tuple(operand).map(([v]) => ({ $elemMatch: { $gte: v } })),
  fc.tuple(operand, operand).map(([v, w]) => ({ $elemMatch: { b: v, c: { $lte: w } } })),
  fc.array(operand, { minLength: 1, maxLength: 2 }).map((list) => ({ $all: list })),
);
const filter = fc.oneof(
  fc.dictionary(path, condition, { maxKeys: 3 }),
  fc
    .tuple(path, condition, path, condition)
    .map(([p, c, q, e]): Fields => ({ $and: [{ [p]: c }, { [q]: e }] })),
  fc
    .tuple(path, condition, path, condition)
    .map(([p, c, q, e]): Fields => ({ $or: [{ [p]: c }, { [q]: e }] })),
);
const direction = fc.constantFrom(1, -1);
const pattern = fc
  .tuple(
    fc.uniqueArray(path, { minLength: 1, maxLength: 3 }),
    fc.array(direction, { minLength: 3, maxLength: 3 }),
  )
  .map(([names, ways]) => Object.fromEntries(names.map((name, i) => [name, ways[i] as number])));
const options = fc.constantFrom<Fields>(
  {},
  {},
  { sparse: true },
  { partialFilterExpression: { d: { $gt: 0 } } },
  { partialFilterExpression: { d: { $type: 'int' } } },
  { partialFilterExpression: { d: { $type: ['double', 'string'] } } },
  { partialFilterExpression: { d: { $exists: true } } },
  { partialFilterExpression: { d: { $eq: 1 } } },
);

function drained(source: RowSource): Row[] {
  const rows: Row[] = [];
  while (!source.done) rows.push(...source.pull(3));
  return rows;
}

const ids = (documents: Document[]): string[] => documents.map((d) => String(d.get('_id'))).sort();

describe('the planner', () => {
  const { folder, remove } = temporaryFolder();
  const store = new Store(`${folder}/plan.sqlite`, 'NORMAL');
  afterAll(() => {
    store.close();
    remove();
  });

  const property = fc.property(
    fc.array(stored, { maxLength: 12 }),
    fc.array(stored, { maxLength: 4 }),
    fc.array(fc.tuple(pattern, options), { minLength: 1, maxLength: 3 }),
    fc.array(filter, { minLength: 1, maxLength: 4 }),
    fc.option(pattern),
    (given, changes, indexes, filters, order) => {
      const context = store.context();
      store.main.exec('BEGIN');
      try {
        const collection = store.createCollection(context, 'db.plan');
        for (const [i, [key, more]] of indexes.entries()) {
          try {
            store.createIndex(context, collection, toDocument({ key, name: `i${i}`, ...more }));
          } catch {
            // Of no interest here.
          }
        }
        const kept: Document[] = [];
        for (const [i, fields] of given.entries()) {
          const document = toDocument({ _id: i, ...fields });
          try {
            insertDocument(context, collection, encodeDocument(document), document);
            kept.push(document);
          } catch (error) {
            expect((error as Error).message).toContain('parallel arrays');
          }
        }
        for (const [i, fields] of changes.entries()) {
          const before = kept[i];
          if (!before) break;
          const next = toDocument({ _id: before.get('_id'), ...fields });
          const [row] = drained(
            rowsOf(context, collection, { filter: toDocument({ _id: before.get('_id') }) }),
          );
          try {
            replaceDocument(
              context,
              collection,
              (row as Row).rid,
              before,
              next,
              encodeDocument(next),
            );
            kept[i] = next;
          } catch (error) {
            expect((error as Error).message).toContain('parallel arrays');
          }
        }
        for (const literal of filters)
          compare(toDocument(literal), kept, order ? toDocument(order) : undefined);
        expect(checkStore(store)).toEqual([]);
      } finally {
        store.main.exec('ROLLBACK');
        for (const undo of context.undo.reverse()) undo();
      }

      function compare(wanted: Document, kept: Document[], sort: Document | undefined): void {
        const collection = store.collection(context, 'db.plan');
        if (!collection) throw new Error('It has been made.');
        const expected = kept.filter(compileFilter(wanted));
        const found = drained(rowsOf(context, collection, { filter: wanted })).map(
          (row) => row.document,
        );
        expect(ids(found)).toEqual(ids(expected));
        const n = countExactly(
          context.connection,
          collection,
          planQuery(context.connection, collection, { filter: wanted, sort: undefined }),
        );
        expect(n ?? expected.length).toBe(expected.length);
        if (!sort) return;
        let keys: string[];
        try {
          const key = compileSortKey(sort);
          keys = expected.map(key).sort();
        } catch {
          return;
        }
        const sorted = drained(rowsOf(context, collection, { filter: wanted, sort, limit: 5 })).map(
          (row) => row.document,
        );
        expect(sorted.map(compileSortKey(sort))).toEqual(keys.slice(0, 5));
      }
    },
  );

  it.each(['int', 'double', 'number'])(
    'looks for an equal number of any type, not only %s',
    (type) => {
      const context = store.context();
      const collection = store.createCollection(context, `db.partial-${type}`);
      const partialFilterExpression = { d: { $type: type } };
      store.createIndex(
        context,
        collection,
        toDocument({ key: { d: 1 }, name: 'd', partialFilterExpression }),
      );
      const plan = (d: Literal) =>
        planQuery(context.connection, collection, {
          filter: toDocument({ d }),
          sort: undefined,
        });
      expect(plan(5).index).toBeUndefined();
      expect(plan({ $type: type }).index).toBeUndefined();
    },
  );

  it('finds through indexes what it finds without, in the order that is asked for', () => {
    fc.assert(property, { numRuns: Number(process.env.PLANNER_RUNS ?? 150) });
  });
});
