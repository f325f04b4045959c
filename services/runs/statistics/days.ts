import { type FieldFault, invalidRequest } from '../../../contract/problem.ts';
import { dayOf } from './rollups.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const USUAL_DAYS = 30;
const MOST_DAYS = 366;

const timeOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);
const plus = (day: string, days: number): string => dayOf(new Date(timeOf(day) + days * DAY_MS));
const fault = (path: 'from' | 'to', code: string, message: string): FieldFault => ({
  in: 'query',
  path,
  code,
  message,
});

/** Nothing ran before; and a day before the year 0 could not be written as others are. */
const FIRST_DAY = '1970-01-01';

function assertPossible(given: { from?: string | undefined; to?: string | undefined }): void {
  const faults = (['from', 'to'] as const)
    .filter((path) => (given[path] ?? FIRST_DAY) < FIRST_DAY)
    .map((path) => fault(path, 'too_early', `must not be before ${FIRST_DAY}`));
  if (faults.length > 0) throw invalidRequest(faults);
}

/** The days from `from` to `to`, both included; the last 30 where they are not given. */
export function daysBetween(
  given: { from?: string | undefined; to?: string | undefined },
  today = dayOf(new Date()),
): string[] {
  assertPossible(given);
  const to = given.to ?? today;
  const from = given.from ?? plus(to, 1 - USUAL_DAYS);
  const count = Math.round((timeOf(to) - timeOf(from)) / DAY_MS) + 1;
  if (count < 1) throw invalidRequest([fault('from', 'after_to', 'must not be after `to`')]);
  if (count > MOST_DAYS) {
    const message = `must be at most ${MOST_DAYS} days before \`to\`, both included`;
    throw invalidRequest([fault('from', 'too_long', message)]);
  }
  return Array.from({ length: count }, (_, at) => plus(from, at));
}

/** The instant at which a day begins in UTC. */
export const startOfDay = (day: string): string => new Date(timeOf(day)).toISOString();
