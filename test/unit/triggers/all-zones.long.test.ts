import { CronLine } from '../../../services/triggers/schedules/cron-line.ts';
import { Timetable } from '../../../services/triggers/schedules/timetable.ts';
import { ZoneClock } from '../../../services/triggers/schedules/zone-clock.ts';

/*
 * The oracle is somebody who looks at the clock on the wall each minute, and does what its times say: a minute that the
 * wall has not shown before, or has jumped over, is done now, once whatever it skipped. It knows neither offsets nor
 * croner, and looks around each clock change of five years.
 */

const FIRST = Date.UTC(2022, 0, 1);
const LAST = Date.UTC(2027, 0, 1);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Lines with a condition on minute and hour of the wall, and on its day. */
const LINES: { cron: string; fits: (wall: Date) => boolean }[] = [
  { cron: '*/15 * * * *', fits: (wall) => wall.getUTCMinutes() % 15 === 0 },
  { cron: '30 2 * * *', fits: (wall) => wall.getUTCHours() === 2 && wall.getUTCMinutes() === 30 },
  { cron: '0 0 * * *', fits: (wall) => wall.getUTCHours() === 0 && wall.getUTCMinutes() === 0 },
  { cron: '45 1,23 * * SUN', fits: isSundayNight },
];

function isSundayNight(wall: Date): boolean {
  return (
    wall.getUTCDay() === 0 && [1, 23].includes(wall.getUTCHours()) && wall.getUTCMinutes() === 45
  );
}

/** Reads the wall by the parts of a date, as milliseconds as if it showed UTC. */
function wallOf(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (instant) => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = (
      format.format(instant).match(/\d+/g) ?? []
    ).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute);
  };
}

/** The days with a clock change: the wall's day is not as long as a day. */
function changesOf(wall: (instant: number) => number): number[] {
  const changes: number[] = [];
  let before = wall(FIRST);
  for (let at = FIRST + DAY; at < LAST; at += DAY) {
    const now = wall(at);
    if (now - before !== DAY) changes.push(at - DAY);
    before = now;
  }
  return changes;
}

/** What the oracle does at each line from one instant to another. It watches the wall for a day before as well. */
type Occurrences = readonly { cron: string; expected: number[] }[];

/** The oracle's answers, by what the wall shows in each quarter of an hour: no zone has changed its clock within one. */
const known = new Map<string, Occurrences>();

function occurrencesOf(wall: (instant: number) => number, from: number, to: number): Occurrences {
  const watch = (step: number) =>
    Array.from({ length: (to - from + DAY) / step + 1 }, (_, n) => wall(from - DAY + n * step));
  const quarters = `${from} ${watch(15 * MINUTE)}`;
  const answer = known.get(quarters) ?? watchMinutes(watch(MINUTE), from);
  known.set(quarters, answer);
  return answer;
}

const watchMinutes = (shown: readonly number[], from: number): Occurrences =>
  LINES.map(({ cron, fits }) => {
    const expected: number[] = [];
    let [seen = 0] = shown;
    for (const [minute, now] of shown.entries()) {
      let isDue = false;
      for (let time = seen + MINUTE; time <= now; time += MINUTE) isDue ||= fits(new Date(time));
      seen = Math.max(seen, now);
      const at = from - DAY + minute * MINUTE;
      if (isDue && at > from) expected.push(at);
    }
    return { cron, expected };
  });

test.each(Intl.supportedValuesOf('timeZone'))('%s', (timeZone) => {
  const wall = wallOf(timeZone);
  const clock = new ZoneClock(timeZone);
  for (const change of [FIRST, ...changesOf(wall)]) {
    const [from, to] = [change - DAY, change + 2 * DAY];
    for (const { cron, expected } of occurrencesOf(wall, from, to)) {
      const timetable = new Timetable(new CronLine(cron), clock);
      const times = timetable.nextTimes(new Date(from), expected.length + 1);
      const [next, ...within] = times.map((time) => time.toISOString()).reverse();
      const expectedTimes = expected.map((at) => new Date(at).toISOString());
      expect({ cron, times: within.reverse() }).toEqual({ cron, times: expectedTimes });
      expect(Date.parse(next ?? '')).toBeGreaterThan(to);
      const last = timetable.earliestOfLatest(1, new Date(from + 1), new Date(to));
      expect(last?.toISOString()).toBe(expectedTimes.at(-1));
    }
  }
});
