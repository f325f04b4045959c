import { z } from 'zod';

/** Throws an Error that names the first given filter of deliveries, on a line without a subscription. */
export function refuseFilters(filters: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(filters).find((name) => filters[name] !== undefined);
  if (given !== undefined) throw new Error(`--${given} needs --subscription <subscriptionId>.`);
}

/** Parses a typed status of deliveries, in upper or lower case. Throws an Error that names the possible ones. */
export function parseStatus<S extends string>(statuses: readonly S[], typed: unknown): S {
  const status = statuses.find((one) => one === String(typed).toUpperCase());
  if (status === undefined) throw new RangeError(`status must be one of ${statuses.join(', ')}.`);
  return status;
}

/** A day, which begins at midnight UTC, or a time with its zone. */
const TypedTime = z.union([
  z.iso.date(),
  z.iso.datetime({ offset: true, precision: -1 }), // without seconds
  z.iso.datetime({ offset: true }),
]);

/** Parses a typed time to ISO 8601 in UTC with milliseconds. Throws an Error that names the option. */
export function parseTime(name: string, typed: unknown): string {
  const { success, data } = TypedTime.safeParse(typed);
  if (success) return new Date(data).toISOString();
  throw new Error(`${name} must be a day or a time, as 2026-01-31 or 2026-01-31T09:30Z.`);
}
