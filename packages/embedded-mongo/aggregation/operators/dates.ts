import { integerOf, isNumeric } from '../../bson/numbers.ts';
import { isOperators, type Value } from '../../bson/values.ts';
import { fail, unsupported } from '../../errors.ts';
import { isNullish } from '../variables.ts';
import {
  type Argument,
  type Arguments,
  dateAt,
  evaluated,
  type NamedSignature,
  type Operator,
  wrongType,
} from './arguments.ts';
import { dateOf, dayOfYear, localOf, MINUTE, zoneOf } from './calendar.ts';
import { DATE_TEXTS } from './date-text.ts';
import { binOf, originOf, shifted, unitOf } from './date-units.ts';

const PART: NamedSignature = {
  object: 40535,
  unknown: 40535,
  required: { date: 40539 },
  optional: { timezone: 'null' },
};

/** Makes an operator that reads a part of a date: {$year: date}, {$year: [date]} or {$year: {date, timezone}}. */
function part(name: string, read: (local: Date) => number): [string, Operator] {
  const [, { build, signature }] = evaluated(name, PART, (args) => {
    const date = args.get('date');
    if (isNullish(date)) return null;
    const instant = dateOf(name, date);
    const offset = zoneOf(args, 40533);
    return offset === undefined ? null : read(localOf(instant, offset));
  });
  const either: Operator['build'] = (argument, compile) => {
    if (argument instanceof Map && !isOperators(argument)) return build(argument, compile);
    const given = Array.isArray(argument) ? argument : [argument];
    if (given.length !== 1) {
      fail(
        40536,
        `${name} accepts exactly one argument if given an array, but was given ${given.length}`,
      );
    }
    return build(new Map([['date', given[0] as Value]]), compile);
  };
  return [name, signature ? { build: either, signature } : { build: either }];
}

const SHIFT: NamedSignature = {
  object: 5166400,
  unknown: 5166401,
  required: { startDate: 5166402, unit: 5166402, amount: 5166402 },
  optional: { timezone: 'null' },
};

const shift = (name: string, sign: number): [string, Operator] =>
  evaluated(name, SHIFT, (args) => {
    const [start, unit, amount] = [args.get('startDate'), args.get('unit'), args.get('amount')];
    if (isNullish(start) || isNullish(unit)) return null;
    const by = unitOf(name, unit);
    if (isNullish(amount)) return null;
    const offset = zoneOf(args);
    if (offset === undefined) return null;
    const date = dateOf(name, start, 5166403);
    const n = integerOf(amount) ?? fail(5166405, `${name} expects integer amount of time units`);
    return dateAt(shifted(localOf(date, offset), by, n * sign).getTime() - offset * MINUTE);
  });

/** Returns false where `startOfWeek` is null. It is of interest for the unit week only. */
function checkStartOfWeek(name: string, unit: string, { get, has }: Arguments): boolean {
  if (unit !== 'week' || !has('startOfWeek')) return true;
  if (isNullish(get('startOfWeek'))) return false;
  return unsupported(`${name} with 'startOfWeek'`);
}

const TRUNC: NamedSignature = {
  object: 5439007,
  unknown: 5439008,
  required: { date: 5439009, unit: 5439010 },
  optional: { binSize: 'null', timezone: 'null', startOfWeek: 'null' },
};

function dateTrunc(args: Arguments): Value {
  const date = args.get('date');
  const { binSize = 1 } = { binSize: args.get('binSize') };
  if (isNullish(date) || isNullish(binSize)) return null;
  const size = sizeOf(binSize);
  const unit = args.get('unit');
  if (isNullish(unit)) return null;
  const by = unitOf('$dateTrunc', unit);
  if (!checkStartOfWeek('$dateTrunc', by, args)) return null;
  const offset = zoneOf(args);
  if (offset === undefined) return null;
  const local = localOf(dateOf('$dateTrunc', date, 5439012), offset);
  const bin = Math.floor(binOf(local, by) / size) * size;
  return dateAt(shifted(new Date(originOf(by)), by, bin).getTime() - offset * MINUTE);
}

function sizeOf(value: Argument): number {
  const size = isNumeric(value) ? integerOf(value) : undefined;
  if (size === undefined)
    return wrongType("$dateTrunc: 'binSize'", 'a 64-bit integer', value, 5439017);
  return size > 0 ? size : fail(5439018, "$dateTrunc requires 'binSize' to be greater than 0");
}

const DIFF: NamedSignature = {
  object: 5166301,
  unknown: 5166302,
  required: { startDate: 5166303, endDate: 5166304, unit: 5166305 },
  optional: { timezone: 'null', startOfWeek: 'null' },
};

function dateDiff(args: Arguments): Value {
  const [start, end, unit] = [args.get('startDate'), args.get('endDate'), args.get('unit')];
  if (isNullish(start) || isNullish(end) || isNullish(unit)) return null;
  const by = unitOf('$dateDiff', unit);
  if (!checkStartOfWeek('$dateDiff', by, args)) return null;
  const offset = zoneOf(args);
  if (offset === undefined) return null;
  const [from, to] = [start, end].map((date) =>
    binOf(localOf(dateOf('$dateDiff', date, 5166307), offset), by),
  );
  return BigInt((to as number) - (from as number));
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
  ...DATE_TEXTS,
  shift('$dateAdd', 1),
  shift('$dateSubtract', -1),
  evaluated('$dateTrunc', TRUNC, dateTrunc),
  evaluated('$dateDiff', DIFF, dateDiff),
];
