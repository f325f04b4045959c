import { Decimal128 } from 'bson';
import fc from 'fast-check';
import {
  BinData,
  Deprecated,
  type Document,
  Double,
  MAX_KEY,
  MIN_KEY,
  ObjectId,
  Regex,
  Timestamp,
  TYPE,
  UNDEFINED,
  type Value,
} from '../bson/values.ts';

const bytes = (size: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((array) => Buffer.from(array));

const LARGE = 9_007_199_254_740_993n;

export const numeric: fc.Arbitrary<Value> = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -2147483648, max: 2147483647 }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: LARGE - 4n, max: LARGE + 4n }),
  fc.double().map((n) => new Double(n)),
  fc.integer({ min: -3, max: 3 }).map((n) => new Double(n / 2)),
  fc
    .constantFrom(
      ...[
        '0',
        '-0',
        '1.0',
        '1.50',
        '0.1',
        '1E-6176',
        '-1E-6176',
        '9.99E6144',
        '-9.99E6144',
        'NaN',
        'Infinity',
        '-Infinity',
        '9007199254740993',
        '9007199254740992.5',
        '1E400',
        '1.1E400',
        '2.5E-330',
      ],
    )
    .map((text) => Decimal128.fromString(text)),
  fc
    .tuple(
      fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }),
      fc.integer({ min: -60, max: 60 }),
    )
    .map(([digits, exponent]) => Decimal128.fromString(`${digits}E${exponent}`)),
);

const text = fc.oneof(
  fc.constantFrom('', 'a', 'ab', 'b', 'a\0', 'a\0b', '\uffff', '😀', 'é', '__proto__'),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);

/** A symbol of the given characters. */
function symbolOf(characters: string): Deprecated {
  const bytes = Buffer.from(`\0\0\0\0${characters}\0`);
  bytes.writeInt32LE(bytes.length - 4);
  return new Deprecated(TYPE.symbol, bytes);
}

const name = fc.constantFrom('a', 'b', '1', '0', '__proto__', 'constructor', 'é', '$x', '');

const leaf: fc.Arbitrary<Value> = fc.oneof(
  numeric,
  text,
  text.map(symbolOf),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom<Value>(MIN_KEY, MAX_KEY, UNDEFINED),
  fc.date({ noInvalidDate: true }),
  bytes(12).map((b) => new ObjectId(b)),
  fc.tuple(fc.constantFrom(0, 4), bytes(3)).map(([subtype, b]) => new BinData(subtype, b)),
  fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('', 'i')).map(([p, o]) => new Regex(p, o)),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((n) => new Timestamp(n)),
);

/** Any BSON value, nested a few levels. */
export const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((fields) => new Map(fields)),
  ),
})).value;

export const document: fc.Arbitrary<Document> = fc
  .array(fc.tuple(name, value), { maxLength: 5 })
  .map((fields) => new Map(fields));
