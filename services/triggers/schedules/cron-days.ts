import { Cron } from 'croner';

/** Milliseconds of a day. */
export const DAY_MS = 24 * 60 * 60 * 1_000;
const MONTHS_OF_YEAR = 12;
/** Months after which the calendar repeats itself, weekdays included: 400 years. */
const MONTHS_OF_CYCLE = 400 * MONTHS_OF_YEAR;

const NO_DAYS: readonly number[] = [];

/** With a fixed offset croner only compares fields: clock changes are the matter of `ZoneClock`. */
export const CRON_OPTIONS = { mode: '5-part', utcOffset: 0, paused: true } as const;

/**
 * The days of a cron line, as wall times of their midnights. Which days of a month count depends on the shape of the
 * month alone: its place in the year, its length and the weekday of its first day. So croner is asked once a shape.
 */
export class CronDays {
  readonly #cron: Cron;
  /** Whether a month of the year counts, from January. */
  readonly #months: readonly boolean[];
  readonly #daysOfShapes = new Map<number, readonly number[]>();

  /** Throws for fields that are no fields of a cron line. */
  constructor(day: string, month: string, weekday: string) {
    this.#cron = new Cron(`0 0 ${day} ${month} ${weekday}`, CRON_OPTIONS);
    const months = new Cron(`0 0 * ${month} *`, CRON_OPTIONS);
    this.#months = Array.from({ length: MONTHS_OF_YEAR }, (_, index) =>
      months.match(new Date(startOf(index))),
    );
  }

  /** The days of 400 years from a wall time on, that of the wall time included. */
  *from(wallTime: number): Generator<number> {
    const first = monthOf(wallTime);
    for (let month = first; month <= first + MONTHS_OF_CYCLE; month++) {
      const days = this.#daysOf(month);
      if (days.length) yield* midnightsOf(month, days);
    }
  }

  /** The days of 400 years back from a wall time, that of the wall time included; the latest comes first. */
  *backFrom(wallTime: number): Generator<number> {
    const first = monthOf(wallTime);
    for (let month = first; month >= first - MONTHS_OF_CYCLE; month--) {
      const days = this.#daysOf(month);
      if (days.length) yield* midnightsOf(month, days).toReversed();
    }
  }

  /** Days of the month from 0 on. */
  #daysOf(month: number): readonly number[] {
    if (!this.#months[modulo(month, MONTHS_OF_YEAR)]) return NO_DAYS;
    const shape = SHAPES[modulo(month, MONTHS_OF_CYCLE)] ?? shapeOf(month);
    const known = this.#daysOfShapes.get(shape);
    if (known) return known;
    const start = startOf(month);
    const all = Array.from({ length: lengthOf(month) }, (_, day) => day);
    const days = all.filter((day) => this.#cron.match(new Date(start + day * DAY_MS)));
    this.#daysOfShapes.set(shape, days);
    return days;
  }
}

function midnightsOf(month: number, days: readonly number[]): number[] {
  const start = startOf(month);
  return days.map((day) => start + day * DAY_MS);
}

/** The number of a wall time's month. January of 1970 has the number 0. */
function monthOf(wallTime: number): number {
  const date = new Date(wallTime);
  return (date.getUTCFullYear() - 1970) * MONTHS_OF_YEAR + date.getUTCMonth();
}

/** The first midnight of a month. */
const startOf = (month: number): number => Date.UTC(1970, month);

/** Days of a month. */
const lengthOf = (month: number): number => (startOf(month + 1) - startOf(month)) / DAY_MS;

/** A number for months of one shape. */
function shapeOf(month: number): number {
  const weekday = new Date(startOf(month)).getUTCDay();
  const isLeapDayIn = lengthOf(month) === 29 ? 1 : 0;
  return (modulo(month, MONTHS_OF_YEAR) * 7 + weekday) * 2 + isLeapDayIn;
}

const modulo = (number: number, divisor: number): number =>
  ((number % divisor) + divisor) % divisor;

/** The shapes of the months of 400 years from 1970 on: the search for a rare day goes over hundreds of months. */
const SHAPES = Uint8Array.from({ length: MONTHS_OF_CYCLE }, (_, month) => shapeOf(month));
