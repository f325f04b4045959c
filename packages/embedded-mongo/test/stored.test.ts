import fc from 'fast-check';
import { variablesOf } from '../aggregation/variables.ts';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { StoredDocument, StoredElement } from '../bson/stored.ts';
import { type Document, type Literal, toDocument } from '../bson/values.ts';
import { compileChange } from '../commands/change.ts';
import { compileProjection, type Projection } from '../query/projection.ts';
import { checkStore } from '../storage/check.ts';
import { document as anyDocument } from './arbitraries.ts';
import { type TestEngine, testEngine } from './engine.ts';

type Fields = { [name: string]: Literal };

const scalar = fc.constantFrom<Literal>(0, 1, 2, 1.5, 'a', 'b', null, true);
const sub = fc.record({ b: scalar, c: scalar }, { requiredKeys: [] });
const field = fc.oneof(
  scalar,
  sub,
  fc.array(fc.oneof(scalar, sub), { maxLength: 3 }),
  fc.array(sub, { minLength: 1, maxLength: 3 }),
);
const stored = fc.record<Fields>({ a: field, d: field, e: scalar }, { requiredKeys: [] });
const path = fc.constantFrom(
  'a',
  'a.b',
  'a.c',
  'a.0',
  'a.0.b',
  'a.$[].b',
  'a.$[]',
  'd',
  'd.b',
  'e',
);

const change: fc.Arbitrary<Literal> = fc.oneof(
  fc.tuple(path, fc.oneof(scalar, field)).map(([p, v]) => ({ $set: { [p]: v } })),
  path.map((p) => ({ $unset: { [p]: '' } })),
  path.map((p) => ({ $inc: { [p]: 1 } })),
  fc.tuple(path, fc.oneof(scalar, sub)).map(([p, v]) => ({ $push: { [p]: v } })),
  path.map((p) => ({ $pop: { [p]: 1 } })),
  fc.tuple(path, scalar).map(([p, v]) => ({ $pull: { [p]: v } })),
  fc.tuple(path, path).map(([p, q]) => ({ $rename: { [p]: q } })),
  fc.tuple(path, scalar, path).map(([p, v, q]) => ({ $set: { [p]: v }, $unset: { [q]: '' } })),
  scalar.map((v) => [{ $set: { 'a.b': v, d: '$a' } }]),
  fc.constantFrom<Literal>([{ $unset: 'a' }], [{ $replaceWith: { _id: '$_id', d: '$e' } }]),
  stored,
);

const exclusion = fc.constantFrom<Fields>(
  { a: 0 },
  { a: 0, e: 0, missing: 0 },
  { _id: 0 },
  { 'a.b': 0, d: 0 },
  { 'a.b': 0, 'a.c': 0, 'd.b': 0, _id: 0 },
  { e: 0, d: { $slice: 1 } },
);

const key = fc
  .uniqueArray(fc.constantFrom('a', 'a.b', 'a.c', 'd', 'd.b', 'e'), { minLength: 1, maxLength: 2 })
  .map((names) => Object.fromEntries(names.map((name, i) => [name, i === 0 ? 1 : -1])));
const options = fc.constantFrom<Fields>(
  {},
  { sparse: true },
  { unique: true, sparse: true },
  { unique: true, partialFilterExpression: { e: { $type: 'string' } } },
  { partialFilterExpression: { e: { $exists: true } } },
  { partialFilterExpression: { 'a.b': 1 } },
  { partialFilterExpression: { d: { $type: 'number' }, e: { $gt: 0 } } },
  { partialFilterExpression: { $and: [{ d: { $exists: true } }, { 'a.c': { $gte: 1 } }] } },
  { expireAfterSeconds: 3600 },
);

const bytesOf = (document: Document): string => encodeDocument(document).toString('hex');
const outcome = (work: () => string): string => {
  try {
    return work();
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a stored document', () => {
  it('is what its bytes decode to, whichever fields are read first', () => {
    fc.assert(
      fc.property(anyDocument, fc.nat(), (document, n) => {
        const bytes = encodeDocument(document);
        const lazy = new StoredDocument(bytes);
        const name = [...document.keys()][n % Math.max(document.size, 1)];
        if (name !== undefined) lazy.get(name);
        expect(bytesOf(lazy)).toBe(bytes.toString('hex'));
        expect(bytesOf(new Map(lazy))).toBe(bytesOf(decodeDocument(bytes)));
        expect(lazy.size).toBe(document.size);
      }),
    );
  });

  it('is changed as one that was decoded, and leaves the one that it was copied from alone', () => {
    fc.assert(
      fc.property(stored, change, fc.boolean(), (fields, update, wasRead) => {
        const bytes = encodeDocument(toDocument({ _id: 1, ...fields }));
        const made = (): ReturnType<typeof compileChange> =>
          compileChange({
            update: toDocument({ update }).get('update'),
            query: new Map(),
            arrayFilters: undefined,
            variables: variablesOf(),
            constants: undefined,
          });
        const before = new StoredDocument(bytes);
        if (wasRead) before.get('a');
        const whole = decodeDocument(bytes);
        expect(outcome(() => bytesOf(made().apply(before, false).document))).toBe(
          outcome(() => bytesOf(made().apply(whole, false).document)),
        );
        expect(bytesOf(before)).toBe(bytes.toString('hex'));
      }),
      { numRuns: 1000 },
    );
  });

  it('is projected as one that was decoded, and is left alone', () => {
    fc.assert(
      fc.property(stored, exclusion, fc.boolean(), (fields, shape, wasRead) => {
        const bytes = encodeDocument(toDocument({ _id: 1, ...fields }));
        const project = compileProjection(toDocument(shape), {
          variables: variablesOf(),
          filter: new Map(),
        }) as Projection;
        const lazy = new StoredDocument(bytes);
        if (wasRead) lazy.get('a');
        expect(bytesOf(project(lazy))).toBe(bytesOf(project(decodeDocument(bytes))));
        expect(bytesOf(lazy)).toBe(bytes.toString('hex'));
      }),
      { numRuns: 1000 },
    );
  });

  it('decodes nothing for a projection that leaves fields out', () => {
    const lazy = new StoredDocument(encodeDocument(toDocument({ _id: 1, a: { b: 2 }, d: [3] })));
    const context = { variables: variablesOf() };
    const project = compileProjection(toDocument({ d: 0 }), context) as Projection;
    const left = (project(lazy) as StoredDocument).elements();
    expect([...left].map(([name, value]) => [name, value instanceof StoredElement])).toEqual([
      ['_id', true],
      ['a', true],
    ]);
  });
});

describe('an update', () => {
  let test: TestEngine;
  beforeAll(() => {
    test = testEngine();
  });
  afterAll(() => test.close());

  it('leaves in each index what an index made afterwards would hold', async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(key, options), { minLength: 1, maxLength: 4 }),
        fc.array(stored, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat({ max: 3 }), fc.boolean(), change), { maxLength: 8 }),
        async (indexes, documents, changes) => {
          const name = `c${n++}`;
          for (const [i, [pattern, more]] of indexes.entries())
            await test.send({
              createIndexes: name,
              indexes: [{ key: pattern, name: `i${i}`, ...more }],
            });
          await test.send({
            insert: name,
            documents: documents.map((fields, _id) => ({ _id, ...fields })),
            ordered: false,
          });
          for (const [_id, multi, u] of changes)
            await test.send({ update: name, updates: [{ q: multi ? {} : { _id }, u, multi }] });
          expect(checkStore(test.engine.store)).toEqual([]);
          await test.send({ drop: name });
        },
      ),
      { numRuns: 150 },
    );
  });

  it('refuses to move a document to where it nests too deep, though its bytes are only copied', async () => {
    let deep: Fields = { leaf: 1 };
    for (let i = 0; i < 150; i++) deep = { n: deep };
    await test.send({ insert: 'deep', documents: [{ _id: 1, deep }] });
    const to = Array.from({ length: 60 }, (_, i) => `p${i}`).join('.');
    const reply = await test.send({
      update: 'deep',
      updates: [{ q: { _id: 1 }, u: { $rename: { deep: to } } }],
    });
    expect((reply.get('writeErrors') as Document[])[0]?.get('errmsg')).toContain('200 levels');
  });
});
