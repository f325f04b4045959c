import { lruCache } from '../../../support/lru-cache.ts';
import { CronLine } from './cron-line.ts';
import { ZoneClock } from './zone-clock.ts';

/**
 * The occurrences of a cron line in a zone, as instants. A local time that a clock change skips occurs at the change, all
 * skipped times of a change together once; a local time that comes twice occurs the first time.
 */
export class Timetable {
  readonly #line: CronLine;
  readonly #clock: ZoneClock;

  constructor(line: CronLine, clock: ZoneClock) {
    this.#line = line;
    this.#clock = clock;
  }

  /** The first occurrence after an instant; null where there is none. */
  next(after: Date): Date | null {
    return this.nextTimes(after, 1)[0] ?? null;
  }

  /** The first `count` occurrences after an instant, or as many as there are. */
  nextTimes(after: Date, count: number): Date[] {
    const times: Date[] = [];
    let latest = after.getTime();
    for (const wallTime of this.#line.after(this.#clock.wallTimeAt(latest))) {
      const instant = this.#clock.instantOf(wallTime);
      if (instant <= latest) continue; // the wall shows times again that have occurred, or has skipped several
      times.push(new Date(instant));
      latest = instant;
      if (times.length >= count) break;
    }
    return times;
  }

  /** The earliest of the latest `count` occurrences from `from` to `to`, both included; null without any. */
  earliestOfLatest(count: number, from: Date, to: Date): Date | null {
    let found = 0;
    let earliest: number | null = null;
    for (const wallTime of this.#line.before(this.#clock.highestUntil(to.getTime()) + 1)) {
      const instant = this.#clock.instantOf(wallTime);
      if (instant < from.getTime()) break;
      if (instant > to.getTime() || instant === earliest) continue;
      earliest = instant;
      found += 1;
      if (found === count) break;
    }
    return earliest === null ? null : new Date(earliest);
  }
}

/** Clocks of zones that are kept. Beyond this number the least recently used clock is made anew. */
const MAX_CLOCKS = 100;
/** Timetables that are kept, as clocks are. A timetable holds up to 10 KiB. */
const MAX_TIMETABLES = 2_000;

/** Makes timetables, and keeps those that were used lately: the clock of a zone takes long to make. */
export class Timetables {
  readonly #clocks = lruCache<string, ZoneClock>(MAX_CLOCKS);
  readonly #timetables = lruCache<string, Timetable>(MAX_TIMETABLES);

  /** The timetable of a line and a zone that the contract has accepted. */
  of({ cron, timeZone }: { cron: string; timeZone: string }): Timetable {
    const key = `${timeZone} ${cron}`;
    const known = this.#timetables.get(key);
    if (known) return known;
    const timetable = new Timetable(new CronLine(cron), this.#clockOf(timeZone));
    this.#timetables.set(key, timetable);
    return timetable;
  }

  #clockOf(timeZone: string): ZoneClock {
    const known = this.#clocks.get(timeZone);
    if (known) return known;
    const clock = new ZoneClock(timeZone);
    this.#clocks.set(timeZone, clock);
    return clock;
  }
}
