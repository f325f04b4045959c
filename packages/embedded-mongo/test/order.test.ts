import { deserialize, serialize } from 'bson';
import fc from 'fast-check';
import { compareValues } from '../bson/compare.ts';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { keyAfter, keyOf } from '../bson/keys.ts';
import { typeOf } from '../bson/values.ts';
import { document, numeric, value } from './arbitraries.ts';

const runs = { numRuns: 400 };

describe('values', () => {
  it('have keys in their own order, ascending and descending', () => {
    for (const any of [value, numeric]) {
      fc.assert(
        fc.property(any, any, any, (a, b, c) => {
          const order = Math.sign(compareValues(a, b));
          const compound = order || Math.sign(compareValues(c, a));
          expect([
            Buffer.compare(keyOf([a]), keyOf([b])),
            Buffer.compare(keyOf([a], [true]), keyOf([b], [true])) + 0,
            Buffer.compare(keyOf([a, c]), keyOf([b, a])),
          ]).toEqual([order, -order + 0, compound]);
        }),
        runs,
      );
    }
  });

  it('have keys that begin no other key', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [x, y] = [keyOf([a]), keyOf([b])];
        const begins = y.length > x.length && y.subarray(0, x.length).equals(x);
        expect(begins).toBe(false);
        expect(Buffer.compare(keyAfter(x), x)).toBe(1);
      }),
      runs,
    );
  });

  it('are ordered transitively', () => {
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const [least, middle, most] = [a, b, c].sort(compareValues) as [
          typeof a,
          typeof b,
          typeof c,
        ];
        expect(compareValues(least, middle)).toBeLessThanOrEqual(0);
        expect(compareValues(least, most)).toBeLessThanOrEqual(0);
      }),
      runs,
    );
  });

  it('come back from their bytes as they were, in type, name and place', () => {
    fc.assert(
      fc.property(document, (given) => {
        const bytes = encodeDocument(given);
        const back = decodeDocument(bytes);
        expect(encodeDocument(back).equals(bytes)).toBe(true);
        expect([...back.keys()]).toEqual([...given.keys()]);
        expect([...back.values()].map(typeOf)).toEqual([...given.values()].map(typeOf));
      }),
      runs,
    );
  });

  it('are what the official library reads and writes', () => {
    const literal = { a: 1, b: 2.5, c: 'x', d: [true, null, { e: new Date(5) }], f: 2 ** 40 };
    const ours = decodeDocument(Buffer.from(serialize(literal)));
    expect(deserialize(encodeDocument(ours))).toEqual(literal);
  });

  it('are refused when their bytes are cut, or a byte of them is wrong, without another fault', () => {
    fc.assert(
      fc.property(document, fc.nat(), fc.integer({ min: 0, max: 255 }), (given, where, byte) => {
        const bytes = encodeDocument(given);
        const cut = bytes.subarray(0, where % bytes.length);
        expect(() => decodeDocument(Buffer.from(cut))).toThrow(/Invalid BSON/);
        bytes[where % bytes.length] = byte;
        try {
          decodeDocument(bytes);
        } catch (error) {
          expect((error as Error).name).toBe('MongoError');
        }
      }),
      runs,
    );
  });
});
