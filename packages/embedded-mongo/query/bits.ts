import { integerOf, isNumeric, isWhole, longOf, toDouble } from '../bson/numbers.ts';
import { BinData, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';

type IsSet = (bit: number) => boolean;

/** Makes the test of $bitsAllSet and similar operators, on integers in two's complement with extended sign or on binary data. */
export function bitTest(
  mask: Value,
  holds: (isSet: IsSet, bits: number[]) => boolean,
  name: string,
): (value: Value | undefined) => boolean {
  const bits = bitsOf(mask, name);
  return (value) => {
    const isSet = readerOf(value);
    return isSet !== undefined && holds(isSet, bits);
  };
}

function readerOf(value: Value | undefined): IsSet | undefined {
  if (value instanceof BinData) {
    return (bit) => (((value.bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
  }
  if (typeof value !== 'bigint') {
    if (!isNumeric(value)) return undefined;
    return isWhole(value) ? readerOf(longOf(value)) : undefined;
  }
  return (bit) => ((value >> BigInt(bit)) & 1n) === 1n;
}

function bitsOf(mask: Value, name: string): number[] {
  if (Array.isArray(mask)) return mask.map((position) => positionOf(position));
  const isSet = readerOf(mask);
  if (isSet === undefined)
    return fail(
      'FailedToParse',
      `${name} takes a number, an Array, or a BinData but received: ${String(mask)}`,
    );
  if (isNumeric(mask) && toDouble(mask) < 0) {
    fail('FailedToParse', `Expected a non-negative number in: ${name}: ${String(mask)}`);
  }
  const size = mask instanceof BinData ? mask.bytes.length * 8 : 64;
  return Array.from({ length: size }, (_, bit) => bit).filter(isSet);
}

function positionOf(position: Value): number {
  const bit = integerOf(position);
  if (bit === undefined || bit < 0) {
    return fail('BadValue', 'bit positions must be an integer >= 0');
  }
  return bit;
}
