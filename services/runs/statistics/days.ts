import { type FieldFault, invalidRequest } from '../../../contract/problem.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { dayOf } from './rollups.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Days of a query without `from`. */
const DEFAULT_DAYS = 30;
/** The most days of a query; a longer query is refused. */
const MAX_DAYS = 366;

const timeOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);
const addDays = (day: string, days: number): string => dayOf(new Date(timeOf(day) + days * DAY_MS));
const fault = (path: 'from' | 'to', code: string, message: string): FieldFault => ({
  in: 'query',
  path,
  code,
  message,
});

/** The first day of a query; an earlier day is refused. No run is as old, and a year before 0 has another format. */
const FIRST_DAY = '1970-01-01';

function assertNotTooEarly(given: { from?: string | undefined; to?: string | undefined }): void {
  const faults = (['from', 'to'] as const)
    .filter((path) => (given[path] ?? FIRST_DAY) < FIRST_DAY)
    .map((path) => fault(path, 'too_early', `must not be before ${FIRST_DAY}`));
  if (faults.length > 0) throw invalidRequest(faults);
}

/** Lists the days from `from` to `to`, both included; `to` is today and `from` 29 days before it unless given. */
export function daysBetween(
  given: { from?: string | undefined; to?: string | undefined },
  today?: string,
): string[] {
  assertNotTooEarly(given);
  const to = given.to ?? today ?? dayOf(databaseClock.date());
  const from = given.from ?? addDays(to, 1 - DEFAULT_DAYS);
  const count = Math.round((timeOf(to) - timeOf(from)) / DAY_MS) + 1;
  if (count < 1) throw invalidRequest([fault('from', 'after_to', 'must not be after `to`')]);
  if (count > MAX_DAYS) {
    const message = `must be at most ${MAX_DAYS} days before \`to\`, both included`;
    throw invalidRequest([fault('from', 'too_long', message)]);
  }
  return Array.from({ length: count }, (_, at) => addDays(from, at));
}

/** The instant at which a day begins in UTC. */
export const startOfDay = (day: string): string => new Date(timeOf(day)).toISOString();
