import type { Misfire } from '../../../models/schedule.model.ts';
import { CronLine } from '../../../services/triggers/schedules/cron-line.ts';
import {
  chooseOccurrence,
  occurrenceAfter,
} from '../../../services/triggers/schedules/scheduler/choose-occurrence.ts';
import { Timetable } from '../../../services/triggers/schedules/timetable.ts';
import { ZoneClock } from '../../../services/triggers/schedules/zone-clock.ts';

const everyMinute = new Timetable(new CronLine('* * * * *'), new ZoneClock('UTC'));
const at = (time: string) => new Date(`2026-01-31T${time}Z`);

const choose = (misfire: Misfire, next: string, now: string, attempts?: number) => {
  const schedule = { misfire, nextOccurrence: at(next), ...(attempts ? { attempts } : {}) };
  return chooseOccurrence(schedule, everyMinute, at(now));
};

/** The occurrences that a schedule starts, each at once, from a late look on. */
function started(misfire: Misfire, next: string, now: string): string[] {
  const times: string[] = [];
  let nextOccurrence: Date | null = at(next);
  while (nextOccurrence && nextOccurrence <= at(now)) {
    const schedule = { misfire, nextOccurrence };
    const { occurrence } = chooseOccurrence(schedule, everyMinute, at(now));
    if (!occurrence || occurrence > at(now)) break;
    times.push(occurrence.toISOString().slice(11, 16));
    nextOccurrence = occurrenceAfter(schedule, occurrence, everyMinute, at(now));
  }
  return times;
}

test.each(['SKIP', 'RUN_ONCE', 'RUN_ALL'] as const)(
  'an occurrence that is 60 s late is started, with %s',
  (misfire) => {
    expect(choose(misfire, '12:00', '12:01')).toEqual({ occurrence: at('12:00'), dropped: false });
  },
);

test('SKIP drops the missed ones and starts the one that is not', () => {
  expect(started('SKIP', '12:00', '12:10:30')).toEqual(['12:10']);
});

test('RUN_ONCE makes one run for all missed ones', () => {
  expect(started('RUN_ONCE', '12:00', '12:10:30')).toEqual(['12:00', '12:10']);
});

test('RUN_ALL makes up each, the latest hundred at most', () => {
  expect(started('RUN_ALL', '12:00', '12:03:30')).toEqual(['12:00', '12:01', '12:02', '12:03']);
  const many = started('RUN_ALL', '00:00', '12:00:30');
  expect([many.length, many[0], many.at(-1)]).toEqual([101, '10:20', '12:00']);
});

test('an occurrence whose start was tried does not become missed', () => {
  const expected = { occurrence: at('12:00'), dropped: false };
  expect(choose('SKIP', '12:00', '12:30', 1)).toEqual(expected);
});

test('RUN_ONCE leaves what was missed after the time at which it made its run', () => {
  const schedule = { misfire: 'RUN_ONCE' } as const;
  expect(occurrenceAfter(schedule, at('12:00'), everyMinute, at('12:00:01'))).toEqual(at('12:01'));
  expect(occurrenceAfter(schedule, at('12:00'), everyMinute, at('12:30:01'))).toEqual(at('12:30'));
});
