import { Cron } from 'croner';
import fc from 'fast-check';
import { CronLine, readCronLine } from '../../../services/triggers/schedules/cron-line.ts';
import { Timetable } from '../../../services/triggers/schedules/timetable.ts';
import { ZoneClock } from '../../../services/triggers/schedules/zone-clock.ts';

const UTC = new ZoneClock('UTC');
const AFTER = new Date('2026-11-25T12:00:00Z');

const datesOf = (cron: string, count: number): string[] =>
  new Timetable(new CronLine(cron), UTC)
    .nextTimes(AFTER, count)
    .map((time) => time.toISOString().slice(0, 10));

test.each([
  ['0 0 29 2 *', ['2028-02-29', '2032-02-29', '2036-02-29']],
  ['0 0 * 2 1#5', ['2044-02-29', '2072-02-29', '2112-02-29']], // 2100 has no 29 February
  ['0 0 30 2 MON#5', ['2044-02-29', '2072-02-29', '2112-02-29']],
  ['0 0 * 2 0#5,1#5', ['2032-02-29', '2044-02-29', '2060-02-29']],
])('%s comes at its next times', (cron, times) => {
  expect(datesOf(cron, times.length)).toEqual(times);
});

test('the latest occurrence of a rare line is found', () => {
  const timetable = new Timetable(new CronLine('0 0 * 2 1#5'), UTC);
  const latest = timetable.earliestOfLatest(1, new Date(0), AFTER);
  expect(latest?.toISOString()).toBe('2016-02-29T00:00:00.000Z');
  expect(timetable.earliestOfLatest(100, new Date('2016-03-01'), AFTER)).toBeNull();
});

/** Counts how often the clock of the zone is read, since tests do not time the machine. */
class CountingClock extends ZoneClock {
  reads = 0;

  override instantOf(wallTime: number): number {
    this.reads += 1;
    return super.instantOf(wallTime);
  }
}

test('times of missed occurrences are read for the occurrences that count', () => {
  const clock = new CountingClock('Europe/Berlin');
  const timetable = new Timetable(new CronLine('* * * * *'), clock);
  timetable.earliestOfLatest(100, new Date('2020-01-01'), AFTER);
  expect(clock.reads).toBeLessThanOrEqual(100);
});

const numberIn = (min: number, max: number) => fc.integer({ min, max }).map(String);
const listIn = (min: number, max: number) =>
  fc.array(numberIn(min, max), { minLength: 1, maxLength: 3 }).map((each) => each.join(','));
const field = (min: number, max: number, ...others: string[]) =>
  fc.oneof(fc.constantFrom('*', ...others), numberIn(min, max), listIn(min, max));
const lines = fc
  .tuple(
    field(0, 59, '*/7', '5-50/9'),
    field(0, 23, '*/5', '9-17'),
    field(1, 31, 'L', '15W', '*/10'),
    field(1, 12, 'FEB', 'JAN-MAR', '*/4'),
    field(0, 7, 'MON-FRI', '5L', '1#2', 'TUE#1,FRI#4'),
  )
  .map((fields) => fields.join(' '));
const instants = fc.integer({ min: Date.UTC(1960), max: Date.UTC(2110) }).map((at) => new Date(at));

test('the times of a line are those that croner finds by a search', () => {
  fc.assert(
    fc.property(lines, instants, (cron, after) => {
      const croner = new Cron(cron, { mode: '5-part', utcOffset: 0, paused: true });
      const timetable = new Timetable(new CronLine(cron), UTC);
      const expected = croner.nextRuns(2, after);
      fc.pre(expected.length === 2);
      expect(timetable.nextTimes(after, 2)).toEqual(expected);
      const [first, second = after] = expected;
      const latest = timetable.earliestOfLatest(1, after, new Date(second.getTime() - 1));
      expect(latest).toEqual(first && first > after ? first : null);
    }),
    { numRuns: 300 },
  );
});

test.each(['0 0 30 2 *', '0 0 31 2,4,6 *'])('%s never comes', (cron) => {
  expect(readCronLine(cron)).toHaveProperty('fault');
});
