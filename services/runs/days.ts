import { type FieldFault, invalidRequest } from '../../mixins/problem.ts';
import { dayOf } from './tallies.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const USUAL_DAYS = 30;
const MOST_DAYS = 366;

const timeOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);
const plus = (day: string, days: number): string => dayOf(new Date(timeOf(day) + days * DAY_MS));
const fault = (code: string, message: string): FieldFault => ({
  in: 'query',
  path: 'from',
  code,
  message,
});

/** The days from `from` to `to`, both included; the last 30 where they are not given. */
export function daysBetween(
  given: { from?: string | undefined; to?: string | undefined },
  today = dayOf(new Date()),
): string[] {
  const to = given.to ?? today;
  const from = given.from ?? plus(to, 1 - USUAL_DAYS);
  const count = Math.round((timeOf(to) - timeOf(from)) / DAY_MS) + 1;
  if (count < 1) throw invalidRequest([fault('after_to', 'must not be after `to`')]);
  if (count > MOST_DAYS) {
    const message = `must be at most ${MOST_DAYS} days before \`to\`, both included`;
    throw invalidRequest([fault('too_long', message)]);
  }
  return Array.from({ length: count }, (_, at) => plus(from, at));
}

/** The instant at which a day begins in UTC. */
export const startOfDay = (day: string): string => new Date(timeOf(day)).toISOString();
