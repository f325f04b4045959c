import fc from 'fast-check';
import { encodeDocument } from '../bson/encode.ts';
import { type Document, type Literal, toDocument } from '../bson/values.ts';
import { compileFilter } from '../query/match.ts';
import { compileUpdate } from '../update/update.ts';

/** Documents of numbers and arrays of them, on which plain JavaScript can say what is right. */
type Plain = { [field: string]: number | number[] };

const field = fc.constantFrom('a', 'b', 'c');
const small = fc.integer({ min: -3, max: 3 });
const plain: fc.Arbitrary<Plain> = fc.dictionary(
  field,
  fc.oneof(small, fc.array(small, { maxLength: 4 })),
  { maxKeys: 3 },
);

const elements = (value: number | number[] | undefined): number[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** Each comparison holds when any element fulfils it. */
const COMPARISONS: Record<string, (x: number, y: number) => boolean> = {
  $eq: (x, y) => x === y,
  $gt: (x, y) => x > y,
  $gte: (x, y) => x >= y,
  $lt: (x, y) => x < y,
  $lte: (x, y) => x <= y,
};

interface Condition {
  filter: { [field: string]: Literal };
  holds(document: Plain): boolean;
}

const comparison: fc.Arbitrary<Condition> = fc
  .tuple(field, fc.constantFrom(...Object.keys(COMPARISONS)), small)
  .map(([name, operator, wanted]) => ({
    filter: { [name]: { [operator]: wanted } },
    holds: (document) => elements(document[name]).some((x) => COMPARISONS[operator]?.(x, wanted)),
  }));

const membership: fc.Arbitrary<Condition> = fc
  .tuple(field, fc.array(small, { maxLength: 3 }), fc.boolean())
  .map(([name, list, negated]) => ({
    filter: { [name]: { [negated ? '$nin' : '$in']: list } },
    holds: (document) => elements(document[name]).some((x) => list.includes(x)) !== negated,
  }));

const shape: fc.Arbitrary<Condition> = fc.tuple(field, fc.nat({ max: 3 })).map(([name, size]) => ({
  filter: { [name]: { $exists: true, $size: size } },
  holds: (document) => Array.isArray(document[name]) && document[name].length === size,
}));

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2 },
    comparison,
    membership,
    shape,
    fc
      .tuple(
        fc.constantFrom('$and', '$or', '$nor'),
        fc.array(tie('condition'), { minLength: 1, maxLength: 3 }),
      )
      .map(
        ([operator, clauses]): Condition => ({
          filter: { [operator]: clauses.map(({ filter }) => filter) },
          holds: (document) => {
            if (operator === '$and') return clauses.every((clause) => clause.holds(document));
            return clauses.some((clause) => clause.holds(document)) === (operator === '$or');
          },
        }),
      ),
  ),
}));

interface Change {
  update: { [operator: string]: Literal };
  /** What it makes of the value; undefined where MongoDB refuses it. */
  apply(value: number | number[] | undefined): number | number[] | 'unset' | undefined;
}

const onArray =
  (apply: (array: number[]) => number[]): Change['apply'] =>
  (value) =>
    value === undefined ? undefined : Array.isArray(value) ? apply(value) : undefined;

const change = (name: string): fc.Arbitrary<Change> =>
  fc.oneof(
    small.map((n): Change => ({ update: { $set: { [name]: n } }, apply: () => n })),
    fc.constant<Change>({ update: { $unset: { [name]: '' } }, apply: () => 'unset' }),
    small.map(
      (n): Change => ({
        update: { $inc: { [name]: n } },
        apply: (x = 0) => (Array.isArray(x) ? undefined : x + n),
      }),
    ),
    small.map(
      (n): Change => ({
        update: { $mul: { [name]: n } },
        apply: (x = 0) => (Array.isArray(x) ? undefined : x * n + 0),
      }),
    ),
    small.map(
      (n): Change => ({
        update: { $push: { [name]: n } },
        apply: (x = []) => (Array.isArray(x) ? [...x, n] : undefined),
      }),
    ),
    small.map(
      (n): Change => ({
        update: { $addToSet: { [name]: n } },
        apply: (x = []) => (Array.isArray(x) ? (x.includes(n) ? x : [...x, n]) : undefined),
      }),
    ),
    fc.tuple(fc.array(small, { maxLength: 3 }), fc.integer({ min: -3, max: 3 })).map(
      ([list, n]): Change => ({
        update: { $push: { [name]: { $each: list, $sort: 1, $slice: n } } },
        apply: (x = []) => {
          if (!Array.isArray(x)) return undefined;
          const sorted = [...x, ...list].sort((p, q) => p - q);
          return n < 0 ? sorted.slice(n) : sorted.slice(0, n);
        },
      }),
    ),
    small.map(
      (n): Change => ({
        update: { $pull: { [name]: { $gte: n } } },
        apply: onArray((x) => x.filter((e) => e < n)),
      }),
    ),
  );

const bytes = (document: Document): string => encodeDocument(document).toString('hex');

describe('a plain model', () => {
  it('agrees with the matcher', () => {
    fc.assert(
      fc.property(plain, condition, (document, { filter, holds }) => {
        expect(compileFilter(toDocument(filter))(toDocument(document))).toBe(holds(document));
      }),
      { numRuns: 1500 },
    );
  });

  it('agrees with what is read after an update', () => {
    fc.assert(
      fc.property(
        plain,
        field.chain((name) => fc.tuple(fc.constant(name), change(name))),
        (document, [name, { update, apply }]) => {
          const before = toDocument(document);
          const run = { now: new Date(), isInsert: false, matched: () => undefined };
          const wanted = apply(document[name]);
          const [operator = ''] = Object.keys(update);
          if (wanted === undefined && (document[name] !== undefined || operator !== '$pull')) {
            expect(() => compileUpdate(toDocument(update))(before, run)).toThrow();
            return;
          }
          const { document: after } = compileUpdate(toDocument(update))(before, run);
          expect(bytes(before)).toBe(bytes(toDocument(document)));
          const expected = { ...document };
          if (wanted === 'unset' || wanted === undefined) delete expected[name];
          else expected[name] = wanted;
          expect(bytes(after)).toBe(bytes(toDocument(expected)));
        },
      ),
      { numRuns: 1500 },
    );
  });
});
