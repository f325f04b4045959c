import type { Value } from '../../bson/values.ts';
import { fail, unsupported } from '../../errors.ts';
import { isNullish } from '../variables.ts';
import {
  type Arguments,
  evaluated,
  type NamedSignature,
  type Operator,
  text,
} from './arguments.ts';
import { checkYear, dateOf, dayOfYear, localOf, zoneOf } from './calendar.ts';

const two = (n: number): string => String(n).padStart(2, '0');
const three = (n: number): string => String(n).padStart(3, '0');

/** Writes the year. Only here a year beyond four digits is refused. */
function year(local: Date): string {
  checkYear(local);
  return String(local.getUTCFullYear()).padStart(4, '0');
}

const FORMATS: Record<string, (local: Date, offset: number) => string> = {
  Y: year,
  m: (local) => two(local.getUTCMonth() + 1),
  d: (local) => two(local.getUTCDate()),
  H: (local) => two(local.getUTCHours()),
  M: (local) => two(local.getUTCMinutes()),
  S: (local) => two(local.getUTCSeconds()),
  L: (local) => three(local.getUTCMilliseconds()),
  j: (local) => three(dayOfYear(local)),
  w: (local) => String(local.getUTCDay() + 1),
  u: (local) => String(local.getUTCDay() || 7),
  z: (_, offset) =>
    `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`,
  Z: (_, offset) => (offset < 0 ? String(offset) : `+${offset}`),
  '%': () => '%',
};

/** The format characters of MongoDB 7 that this engine does not support: names of months, weeks of the year. */
const LEFT_OUT = /^[bBGUV]$/;

function checkFormat(format: string): void {
  for (const [, letter = ''] of format.matchAll(/%(.?)/gsu)) {
    if (Object.hasOwn(FORMATS, letter)) continue;
    if (letter === '') fail(18535, "Unmatched '%' at end of format string");
    if (LEFT_OUT.test(letter)) unsupported(`The format character %${letter} of $dateToString`);
    fail(18536, `Invalid format character '%${letter}' in format string`);
  }
}

const SIGNATURE: NamedSignature = {
  object: 18629,
  unknown: 18534,
  required: { date: 18628 },
  optional: { format: 'null', timezone: 'null', onNull: 'value' },
};

/** An invalid format or time zone is refused before a null date is looked at. */
function dateToString(args: Arguments): Value | undefined {
  const { get, has } = args;
  const date = get('date');
  const format = get('format');
  if (!isNullish(format)) checkFormat(text("$dateToString: 'format'", format, 18533));
  const offset = zoneOf(args);
  if (isNullish(date)) return has('onNull') ? get('onNull') : null;
  if (offset === undefined) return null;
  const local = localOf(dateOf('$dateToString', date), offset);
  const zoned = offset === 0 ? '%Y-%m-%dT%H:%M:%S.%LZ' : '%Y-%m-%dT%H:%M:%S.%L';
  const written = has('format') ? format : zoned;
  if (typeof written !== 'string') return null;
  return written.replace(/%(.)/gsu, (_, letter: string) => FORMATS[letter]?.(local, offset) ?? '');
}

export const DATE_TEXTS: [string, Operator][] = [
  evaluated('$dateToString', SIGNATURE, dateToString),
];
