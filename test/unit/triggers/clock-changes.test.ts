import { CronLine } from '../../../services/triggers/schedules/cron-line.ts';
import { Timetable } from '../../../services/triggers/schedules/timetable.ts';
import { ZoneClock } from '../../../services/triggers/schedules/zone-clock.ts';

const timesOf = (cron: string, zone: string, after: string, count: number): string[] =>
  new Timetable(new CronLine(cron), new ZoneClock(zone))
    .nextTimes(new Date(after), count)
    .map((time) => time.toISOString().replace(':00.000Z', 'Z'));

test.each([
  {
    name: 'a time that a change skips occurs at the change',
    cron: '30 2 * * *',
    zone: 'Europe/Berlin',
    after: '2026-03-28T12:00Z',
    times: ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
  },
  {
    name: 'the skipped times of a line occur once together, with the time of the change',
    cron: '*/15 * * * *',
    zone: 'Europe/Berlin',
    after: '2026-03-29T00:31Z',
    times: ['2026-03-29T00:45Z', '2026-03-29T01:00Z', '2026-03-29T01:15Z'],
  },
  {
    name: 'a time that comes twice occurs the first time',
    cron: '30 2 * * *',
    zone: 'Europe/Berlin',
    after: '2026-10-24T12:00Z',
    times: ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
  },
  {
    name: 'the times of a line that come twice occur the first time',
    cron: '*/30 * * * *',
    zone: 'Europe/Berlin',
    after: '2026-10-25T00:00Z',
    times: ['2026-10-25T00:30Z', '2026-10-25T02:00Z', '2026-10-25T02:30Z'],
  },
  {
    name: 'from an instant within the second pass, no time occurs again',
    cron: '* * * * *',
    zone: 'Europe/Berlin',
    after: '2026-10-25T01:10Z',
    times: ['2026-10-25T02:00Z', '2026-10-25T02:01Z'],
  },
  {
    name: 'Lord Howe skips half an hour',
    cron: '15 2 * * *',
    zone: 'Australia/Lord_Howe',
    after: '2026-10-03T12:00Z',
    times: ['2026-10-03T15:30Z', '2026-10-04T15:15Z'],
  },
  {
    name: 'Lord Howe repeats half an hour',
    cron: '45 1 * * *',
    zone: 'Australia/Lord_Howe',
    after: '2026-04-04T00:00Z',
    times: ['2026-04-04T14:45Z', '2026-04-05T15:15Z'],
  },
  {
    name: 'Samoa skipped a day',
    cron: '0 12 * * *',
    zone: 'Pacific/Apia',
    after: '2011-12-29T12:00Z',
    times: ['2011-12-29T22:00Z', '2011-12-30T10:00Z', '2011-12-30T22:00Z'],
  },
  {
    name: 'Troll skips two hours',
    cron: '0 2 * * *',
    zone: 'Antarctica/Troll',
    after: '2026-03-28T12:00Z',
    times: ['2026-03-29T01:00Z', '2026-03-30T00:00Z'],
  },
  {
    name: 'Troll repeats two hours',
    cron: '30 * * * *',
    zone: 'Antarctica/Troll',
    after: '2026-10-24T23:00Z',
    times: ['2026-10-24T23:30Z', '2026-10-25T00:30Z', '2026-10-25T03:30Z'],
  },
  {
    name: 'a midnight that is skipped occurs at one o’clock',
    cron: '0 0 * * *',
    zone: 'Africa/Cairo',
    after: '2026-04-23T12:00Z',
    times: ['2026-04-23T22:00Z', '2026-04-24T21:00Z'],
  },
  {
    name: 'a repeated hour before midnight occurs once',
    cron: '30 23 * * *',
    zone: 'Africa/Cairo',
    after: '2026-10-29T12:00Z',
    times: ['2026-10-29T20:30Z', '2026-10-30T21:30Z'],
  },
  {
    name: 'a midnight that was skipped in Asunción',
    cron: '0 0 * * *',
    zone: 'America/Asuncion',
    after: '2023-09-30T12:00Z',
    times: ['2023-10-01T04:00Z', '2023-10-02T03:00Z'],
  },
])('$name', ({ cron, zone, after, times }) => {
  expect(timesOf(cron, zone, after, times.length)).toEqual(times);
});
