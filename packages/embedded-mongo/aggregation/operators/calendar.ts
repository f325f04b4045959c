import { ObjectId, Timestamp, typeName } from '../../bson/values.ts';
import { fail, unsupported } from '../../errors.ts';
import { isNullish } from '../variables.ts';
import { type Argument, type Arguments, dateAt } from './arguments.ts';

export const MINUTE = 60_000;
export const DAY = 86_400_000;

/** Returns the date of a value. A string is no date here. */
export function dateOf(name: string, value: Argument, code = 16006): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return new Date(value.bytes.readUInt32BE(0) * 1000);
  if (value instanceof Timestamp) return new Date(Number(value.value >> 32n) * 1000);
  return fail(code, `can't convert from BSON type ${typeName(value)} to Date (${name})`);
}

/** Returns a time zone's offset in minutes east of UTC. Names of zones are not supported. */
function offsetOf(zone: Argument, code = 40517): number {
  if (typeof zone !== 'string')
    return fail(code, `timezone must evaluate to a string, found ${typeName(zone)}`);
  if (zone === 'UTC' || zone === 'GMT') return 0;
  const parts = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (!parts) return unsupported(`The time zone ${zone} (any but UTC and ±hh:mm)`);
  const minutes = Number(parts[2]) * 60 + Number(parts[3] ?? 0);
  return parts[1] === '-' ? -minutes : minutes;
}

/** Returns the offset of the optional argument `timezone` in minutes; undefined where it is null. */
export function zoneOf({ get }: Arguments, code?: number): number | undefined {
  const { zone = 'UTC' } = { zone: get('timezone') };
  return isNullish(zone) ? undefined : offsetOf(zone, code);
}

/** Moves a date by an offset in minutes, so that its UTC parts are the local ones. */
export const localOf = (date: Date, offset: number): Date =>
  dateAt(date.getTime() + offset * MINUTE);

export const dayOfYear = (local: Date): number =>
  Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / DAY) + 1;

/** Refuses to write a year that has no four digits. */
export function checkYear(date: Date): void {
  const year = date.getUTCFullYear();
  if (year >= 0 && year <= 9999) return;
  fail(
    18537,
    `Could not convert date to string: date component was outside the supported range of 0-9999: ${year}`,
  );
}
