/** Milliseconds of a day. No zone is further from UTC, and no clock change is longer. */
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The name of a zone in the IANA database: areas and places, no offset. */
const ZONE_NAME = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;

/** Whether the text is the name of a time zone that this process knows. */
export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }) !== undefined;
  } catch {
    return false; // Intl throws for an unknown zone
  }
}

/**
 * The clock on the wall of a time zone. A wall time is a number of milliseconds, as if the wall showed UTC; instants are
 * milliseconds since the epoch.
 */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;

  /** @param timeZone a name for which `isTimeZone` holds */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  }

  /** The time that the wall shows at an instant. */
  wallTimeAt(instant: number): number {
    return instant + this.#offsetAt(instant);
  }

  /** The highest time that the wall shows until an instant: clocks that were set back have shown higher ones before. */
  highestUntil(instant: number): number {
    return instant + Math.max(this.#offsetAt(instant - DAY_MS), this.#offsetAt(instant));
  }

  /**
   * The instant at which the wall shows a time. A time that the wall shows twice has its first instant, and one that a
   * clock change skips has the instant of the change. So a later wall time never has an earlier instant.
   */
  instantOf(wallTime: number): number {
    const before = this.#offsetAt(wallTime - DAY_MS);
    const after = this.#offsetAt(wallTime + DAY_MS);
    const first = wallTime - Math.max(before, after);
    if (this.wallTimeAt(first) === wallTime) return first;
    const second = wallTime - Math.min(before, after);
    if (this.wallTimeAt(second) === wallTime) return second;
    return this.#changeBetween(wallTime - DAY_MS, wallTime + DAY_MS);
  }

  /** The instant of the one clock change between two instants with different offsets. */
  #changeBetween(from: number, to: number): number {
    const before = this.#offsetAt(from);
    let [low, high] = [from, to];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    return high;
  }

  /** Milliseconds by which the wall is ahead of UTC at an instant. */
  #offsetAt(instant: number): number {
    const [, sign, hours, minutes, seconds = 0] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(this.#format.format(instant)) ?? [];
    if (!sign) return 0; // "GMT" alone
    const total = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return (sign === '-' ? -total : total) * 1_000;
  }
}
