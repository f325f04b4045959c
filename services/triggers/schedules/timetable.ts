import { LRUCache } from 'lru-cache';
import { CronLine } from './cron-line.ts';
import { ZoneClock } from './zone-clock.ts';

/** Wall times of one look back for past occurrences. */
const BATCH = 200;
/** Milliseconds by which wall times of past occurrences may be ahead: a clock change of a day. */
const LONGEST_CHANGE_MS = 24 * 60 * 60 * 1_000;

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
    const from = after.getTime();
    let wallTime = this.#line.next(this.#clock.wallTimeAt(from));
    while (wallTime !== null) {
      const instant = this.#clock.instantOf(wallTime);
      if (instant > from) return new Date(instant);
      wallTime = this.#line.next(wallTime); // the wall shows times again that have occurred
    }
    return null;
  }

  /** The first `count` occurrences after an instant, or as many as there are. */
  nextTimes(after: Date, count: number): Date[] {
    const times: Date[] = [];
    let next = this.next(after);
    while (next && times.length < count) {
      times.push(next);
      next = this.next(next);
    }
    return times;
  }

  /** The earliest of the latest `count` occurrences from `from` to `to`, both included; null without any. */
  earliestOfLatest(count: number, from: Date, to: Date): Date | null {
    let wallTime = this.#clock.wallTimeAt(to.getTime()) + LONGEST_CHANGE_MS;
    const found = new Set<number>();
    for (;;) {
      const wallTimes = this.#line.previous(BATCH, wallTime);
      for (const each of wallTimes) {
        const instant = this.#clock.instantOf(each);
        if (instant < from.getTime()) return earliestOf(found);
        if (instant <= to.getTime()) found.add(instant);
        if (found.size === count) return new Date(instant);
        wallTime = each;
      }
      if (wallTimes.length < BATCH) return earliestOf(found);
    }
  }
}

const earliestOf = (instants: ReadonlySet<number>): Date | null =>
  instants.size ? new Date(Math.min(...instants)) : null;

/** Clocks of zones that are kept. Beyond this number the least recently used clock is made anew. */
const MAX_CLOCKS = 100;
/** Timetables that are kept, as clocks are. */
const MAX_TIMETABLES = 10_000;

/** Makes timetables, and keeps those that were used lately: the clock of a zone takes long to make. */
export class Timetables {
  readonly #clocks = new LRUCache<string, ZoneClock>({ max: MAX_CLOCKS });
  readonly #timetables = new LRUCache<string, Timetable>({ max: MAX_TIMETABLES });

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
