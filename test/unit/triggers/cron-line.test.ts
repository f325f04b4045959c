import { readCronLine } from '../../../services/triggers/schedules/cron-line.ts';
import { isTimeZone } from '../../../services/triggers/schedules/zone-clock.ts';

test.each([
  '* * * * *',
  '*/15 * * * *',
  '0 6 * * MON-FRI',
  '0 0 29 2 *',
  '0 0 L * *',
  '0 0 * * FRI#1',
  ' 5  4 1,15 jan-mar * ',
])('%j is a cron line', (text) => {
  expect(readCronLine(text)).toHaveProperty('line');
});

test.each([
  ['', 'must have 5 fields'],
  ['* * * *', 'must have 5 fields'],
  ['* * * * * *', 'no fields for seconds and years'],
  ['*/5 * * * * 2030', 'no fields for seconds and years'],
  ['@hourly', 'must have 5 fields'],
  ['60 * * * *', 'invalid value for minute: 60'],
  ['*/0 * * * *', 'illegal stepping'],
  ['5-1 * * * *', 'from value is larger than to value'],
  ['0 0 30 2 *', 'never comes: no month of "2" has a day "30"'],
  ['0 0 31 4,6,9,11 *', 'never comes'],
  ['0 0 ? * MON', 'may have digits'],
  ['$(id) * * * *', 'may have digits'],
  [`${'1,'.repeat(100)}1 * * * *`, 'must have at most 200 characters'],
])('%j is refused', (text, fault) => {
  expect(readCronLine(text)).toEqual({ fault: expect.stringContaining(fault) });
});

test.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'Asia/Calcutta'])(
  '%s is a time zone',
  (name) => expect(isTimeZone(name)).toBe(true),
);

test.each(['', 'Europe/Atlantis', '+02:00', 'GMT+2', '../etc/passwd', 'Europe/Berlin '])(
  '%j is no time zone',
  (name) => expect(isTimeZone(name)).toBe(false),
);
