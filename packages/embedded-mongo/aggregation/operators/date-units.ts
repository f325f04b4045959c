import { fail } from '../../errors.ts';
import type { Argument } from './arguments.ts';
import { dateAt, text } from './arguments.ts';
import { DAY, MINUTE } from './calendar.ts';

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

const badUnit = (unit: string): never => fail('FailedToParse', `unknown time unit value: ${unit}`);

const monthsOf = (unit: string): number => MONTHS.get(unit) ?? badUnit(unit);

/** Returns the name of a unit. Throws for a value that is none. */
export function unitOf(name: string, value: Argument): string {
  const unit = text(`${name}: 'unit'`, value, 5439013);
  return FIXED.has(unit) || MONTHS.has(unit) ? unit : badUnit(unit);
}

/** Adds to a date. A day after the end of the new month becomes the month's last day. */
export function shifted(date: Date, unit: string, amount: number): Date {
  const fixed = FIXED.get(unit);
  if (fixed !== undefined) return dateAt(date.getTime() + amount * fixed);
  const months = monthsOf(unit) * amount;
  const moved = new Date(date);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(date.getUTCDate(), last));
  return moved;
}

/** Returns the time of the beginning of a unit's first bin: 2000-01-01, and for weeks the Sunday 2000-01-02. */
export const originOf = (unit: string): number => Date.UTC(2000, 0, unit === 'week' ? 2 : 1);

/** Returns the index of the unit's bin since its origin. */
export function binOf(local: Date, unit: string): number {
  const fixed = FIXED.get(unit);
  if (fixed !== undefined) return Math.floor((local.getTime() - originOf(unit)) / fixed);
  const months = monthsOf(unit);
  return Math.floor(((local.getUTCFullYear() - 2000) * 12 + local.getUTCMonth()) / months);
}
