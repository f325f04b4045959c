import { integerOf } from '../../bson/numbers.ts';
import { ObjectId, Timestamp, typeName, type Value } from '../../bson/values.ts';
import { fail, unsupported } from '../../errors.ts';
import { isNullish } from '../variables.ts';
import { type Argument, dateAt, evaluated, type Operator } from './arguments.ts';
import { toDate } from './conversions.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

function dateOf(name: string, value: Argument): Date {
  if (value instanceof Date || value instanceof ObjectId || value instanceof Timestamp)
    return toDate(value);
  return fail(16006, `can't convert from BSON type ${typeName(value)} to Date (${name})`);
}

/** Returns a time zone's offset in minutes east of UTC. Names of zones are not supported. */
function offsetOf(zone: Argument): number {
  if (zone === undefined || zone === 'UTC' || zone === 'GMT' || zone === 'Z') return 0;
  const parts = typeof zone === 'string' ? /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) : null;
  if (!parts) return unsupported(`The time zone ${String(zone)} (any but UTC and ±hh:mm)`);
  const minutes = Number(parts[2]) * 60 + Number(parts[3] ?? 0);
  return parts[1] === '-' ? -minutes : minutes;
}

/** Makes an operator that reads a part of a date: {$year: date}, {$year: [date]} or {$year: {date, timezone}}. */
function part(name: string, read: (local: Date) => number): [string, Operator] {
  const [, withZone] = evaluated(name, ['date', 'timezone'], ['date'], (get) => {
    const [date, zone] = [get('date'), get('timezone')];
    if (isNullish(date) || zone === null) return null;
    return read(dateAt(dateOf(name, date).getTime() + offsetOf(zone) * MINUTE));
  });
  return [
    name,
    (argument, compile) => {
      if (argument instanceof Map && argument.has('date')) return withZone(argument, compile);
      const given = Array.isArray(argument) ? argument : [argument];
      if (given.length !== 1) fail(16020, `Expression ${name} takes exactly 1 argument`);
      return withZone(new Map([['date', given[0] as Value]]), compile);
    },
  ];
}

const startOfYear = (local: Date): number => Date.UTC(local.getUTCFullYear(), 0, 1);
const dayOfYear = (local: Date): number =>
  Math.floor((local.getTime() - startOfYear(local)) / DAY) + 1;

const two = (n: number): string => String(n).padStart(2, '0');
const three = (n: number): string => String(n).padStart(3, '0');

const FORMATS: Record<string, (local: Date, offset: number) => string> = {
  Y: (local) => String(local.getUTCFullYear()).padStart(4, '0'),
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

/** The format characters of MongoDB 7 that this engine does not support. */
const LEFT_OUT = /^[bBGUV]$/;

function dateToString(get: (part: string) => Argument): Value {
  const [date, zone] = [get('date'), get('timezone')];
  if (isNullish(date)) return get('onNull') ?? null;
  if (zone === null) return null;
  const offset = offsetOf(zone);
  const local = dateAt(dateOf('$dateToString', date).getTime() + offset * MINUTE);
  const format = get('format') ?? (offset === 0 ? '%Y-%m-%dT%H:%M:%S.%LZ' : '%Y-%m-%dT%H:%M:%S.%L');
  if (typeof format !== 'string') return null;
  return format.replace(/%(.?)/gs, (_, letter: string) => {
    const write = Object.hasOwn(FORMATS, letter) ? FORMATS[letter] : undefined;
    if (LEFT_OUT.test(letter)) unsupported(`The format character %${letter}`);
    return write
      ? write(local, offset)
      : fail(18536, `Invalid format character '%${letter}' in format string`);
  });
}

const FIXED = new Map([
  ['millisecond', 1],
  ['second', 1000],
  ['minute', MINUTE],
  ['hour', 60 * MINUTE],
  ['day', DAY],
  ['week', 7 * DAY],
]);
const MONTHS = new Map([
  ['month', 1],
  ['quarter', 3],
  ['year', 12],
]);

const badUnit = (unit: Argument): never =>
  fail('FailedToParse', `unknown time unit value: ${String(unit)}`);

/** Adds to a date. A day after the end of the new month becomes the month's last day. */
function shifted(date: Date, unit: string, amount: number): Date {
  const fixed = FIXED.get(unit);
  if (fixed !== undefined) return dateAt(date.getTime() + amount * fixed);
  const months = (MONTHS.get(unit) ?? badUnit(unit)) * amount;
  const moved = new Date(date);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(date.getUTCDate(), last));
  return moved;
}

const shift = (name: string, sign: number): [string, Operator] =>
  evaluated(
    name,
    ['startDate', 'unit', 'amount', 'timezone'],
    ['startDate', 'unit', 'amount'],
    (get) => {
      const [start, unit, amount, zone] = [
        get('startDate'),
        get('unit'),
        get('amount'),
        get('timezone'),
      ];
      if (isNullish(start) || isNullish(unit) || isNullish(amount) || zone === null) return null;
      const n = integerOf(amount) ?? fail(5166405, `${name} expects integer amount of time units`);
      const offset = offsetOf(zone) * MINUTE;
      const local = dateAt(dateOf(name, start).getTime() + offset);
      return dateAt(shifted(local, String(unit), n * sign).getTime() - offset);
    },
  );

/** Returns the index of the unit's bin since 2000-01-01. Weeks are counted from Sunday 2000-01-02. */
function binOf(local: Date, unit: string): number {
  const fixed = FIXED.get(unit);
  if (fixed !== undefined) {
    const origin = unit === 'week' ? Date.UTC(2000, 0, 2) : Date.UTC(2000, 0, 1);
    return Math.floor((local.getTime() - origin) / fixed);
  }
  const months = MONTHS.get(unit) ?? badUnit(unit);
  return Math.floor(((local.getUTCFullYear() - 2000) * 12 + local.getUTCMonth()) / months);
}

function dateTrunc(get: (part: string) => Argument): Value {
  const [date, unit, zone] = [get('date'), get('unit'), get('timezone')];
  if (isNullish(date) || isNullish(unit) || zone === null) return null;
  if (get('startOfWeek') !== undefined) unsupported("$dateTrunc with 'startOfWeek'");
  const size = get('binSize') === undefined ? 1 : integerOf(get('binSize'));
  if (size === undefined || size < 1)
    return fail(5439018, "$dateTrunc requires 'binSize' to be a positive integer");
  const offset = offsetOf(zone) * MINUTE;
  const bin =
    Math.floor(binOf(dateAt(dateOf('$dateTrunc', date).getTime() + offset), String(unit)) / size) *
    size;
  const origin = new Date(unit === 'week' ? Date.UTC(2000, 0, 2) : Date.UTC(2000, 0, 1));
  return dateAt(shifted(origin, String(unit), bin).getTime() - offset);
}

function dateDiff(get: (part: string) => Argument): Value {
  const [start, end, unit, zone] = [get('startDate'), get('endDate'), get('unit'), get('timezone')];
  if (isNullish(start) || isNullish(end) || isNullish(unit) || zone === null) return null;
  if (get('startOfWeek') !== undefined) unsupported("$dateDiff with 'startOfWeek'");
  const offset = offsetOf(zone) * MINUTE;
  const local = (value: Argument): Date => dateAt(dateOf('$dateDiff', value).getTime() + offset);
  return BigInt(binOf(local(end), String(unit)) - binOf(local(start), String(unit)));
}

export const DATES: [string, Operator][] = [
  part('$year', (local) => local.getUTCFullYear()),
  part('$month', (local) => local.getUTCMonth() + 1),
  part('$dayOfMonth', (local) => local.getUTCDate()),
  part('$dayOfWeek', (local) => local.getUTCDay() + 1),
  part('$dayOfYear', dayOfYear),
  part('$hour', (local) => local.getUTCHours()),
  part('$minute', (local) => local.getUTCMinutes()),
  part('$second', (local) => local.getUTCSeconds()),
  part('$millisecond', (local) => local.getUTCMilliseconds()),
  evaluated('$dateToString', ['date', 'format', 'timezone', 'onNull'], ['date'], dateToString),
  shift('$dateAdd', 1),
  shift('$dateSubtract', -1),
  evaluated(
    '$dateTrunc',
    ['date', 'unit', 'binSize', 'timezone', 'startOfWeek'],
    ['date', 'unit'],
    dateTrunc,
  ),
  evaluated(
    '$dateDiff',
    ['startDate', 'endDate', 'unit', 'timezone', 'startOfWeek'],
    ['startDate', 'endDate', 'unit'],
    dateDiff,
  ),
];
