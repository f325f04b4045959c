import { Cron } from 'croner';
import { CRON_OPTIONS, CronDays, DAY_MS } from './cron-days.ts';

/** Characters of a cron line. A longer line is refused unread. */
export const MAX_CRON_LENGTH = 200;

/** Fields of a cron line: minute, hour, day of the month, month, day of the week. */
const FIELDS = 5;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CHARACTERS = /^[\dA-Za-z*,/#\s-]+$/;

/** A cron line that was read, or the reason why it is refused, which follows the name of its field. */
export type CronReading = { line: CronLine } | { fault: string };

/** Reads a cron line of five fields. */
export function readCronLine(text: string): CronReading {
  if (text.length > MAX_CRON_LENGTH) {
    return { fault: `must have at most ${MAX_CRON_LENGTH} characters` };
  }
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS) return { fault: fieldCountFault(fields.length) };
  if (!CHARACTERS.test(text)) {
    return { fault: 'may have digits, names of months and days, L, W and the signs * , - / #' };
  }
  try {
    const line = new CronLine(fields.join(' '));
    return line.isEver() ? { line } : { fault: neverFires(fields) };
  } catch (error) {
    return { fault: `is not a cron line: ${reasonOf(error)}` };
  }
}

/**
 * The wall times of a cron line, in milliseconds as `ZoneClock` has them. Where both the day of the month and the day of
 * the week are given, a day counts that has either.
 */
export class CronLine {
  readonly #days: CronDays;
  /** Milliseconds from midnight, ascending. */
  readonly #timesOfDay: Int32Array;

  /** Throws for a text that is no cron line. */
  constructor(text: string) {
    const [minute = '', hour = '', day = '', month = '', weekday = ''] = text.trim().split(/\s+/);
    this.#timesOfDay = timesOfDay(minute, hour);
    this.#days = new CronDays(day, month, weekday);
  }

  /** Whether there is any day of the line. */
  isEver(): boolean {
    return this.#days.from(0).next().done === false;
  }

  /** The wall times after another, in 400 years. Nothing is computed before it is asked for. */
  *after(wallTime: number): Generator<number> {
    for (const day of this.#days.from(wallTime)) {
      if (day + DAY_MS <= wallTime) continue;
      for (const time of this.#timesOfDay) if (day + time > wallTime) yield day + time;
    }
  }

  /** The wall times before another, the latest first, in 400 years. They are computed as those after another. */
  *before(wallTime: number): Generator<number> {
    const latestFirst = this.#timesOfDay.toReversed();
    for (const day of this.#days.backFrom(wallTime)) {
      if (day >= wallTime) continue;
      for (const time of latestFirst) if (day + time < wallTime) yield day + time;
    }
  }
}

/** The times of a day at which croner finds minute and hour. */
function timesOfDay(minute: string, hour: string): Int32Array {
  const minutes = offsetsIn(new Cron(`${minute} * * * *`, CRON_OPTIONS), 60, MINUTE_MS);
  const hours = offsetsIn(new Cron(`0 ${hour} * * *`, CRON_OPTIONS), 24, HOUR_MS);
  return Int32Array.from(hours.flatMap((time) => minutes.map((each) => time + each)));
}

/** The first `count` multiples of a time that croner finds. */
const offsetsIn = (cron: Cron, count: number, unitMs: number): number[] =>
  Array.from({ length: count }, (_, index) => index * unitMs).filter((time) =>
    cron.match(new Date(time)),
  );

function fieldCountFault(count: number): string {
  const wanted = 'must have 5 fields: minute, hour, day of the month, month, day of the week';
  return count > FIELDS
    ? `${wanted}; there are no fields for seconds and years, so once a minute is the most`
    : wanted;
}

function neverFires([, , day, month]: readonly string[]): string {
  return `never comes: no month of ${JSON.stringify(month)} has a day ${JSON.stringify(day)}`;
}

/** The reason of croner's error, without the name of its class. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/^\w+: /, '').toLowerCase();
