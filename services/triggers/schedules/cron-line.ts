import { Cron } from 'croner';

/** Characters of a cron line. A longer line is refused unread. */
export const MAX_CRON_LENGTH = 200;

/** Fields of a cron line: minute, hour, day of the month, month, day of the week. */
const FIELDS = 5;
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
    return line.next(Date.now()) === null ? { fault: neverFires(fields) } : { line };
  } catch (error) {
    return { fault: `is not a cron line: ${reasonOf(error)}` };
  }
}

/**
 * The wall times of a cron line, in milliseconds as `ZoneClock` has them. Where both the day of the month and the day of
 * the week are given, a day counts that has either.
 */
export class CronLine {
  readonly #cron: Cron;

  /** Throws for a text that is no cron line. */
  constructor(text: string) {
    // With a fixed offset croner only counts: clock changes are the matter of `ZoneClock`.
    this.#cron = new Cron(text, { mode: '5-part', utcOffset: 0, paused: true });
  }

  /** The first wall time after another; null where there is none. */
  next(wallTime: number): number | null {
    return this.#cron.nextRun(new Date(wallTime))?.getTime() ?? null;
  }

  /** The last `count` wall times before another, the latest first. */
  previous(count: number, wallTime: number): number[] {
    return this.#cron.previousRuns(count, new Date(wallTime)).map((date) => date.getTime());
  }
}

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
