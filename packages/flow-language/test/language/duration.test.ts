import fc from 'fast-check';
import { parseIsoDuration } from '../../language/duration.ts';
import { planOf } from './support.ts';

const count = fc.option(fc.nat(20), { nil: undefined });

function durationOf(wait: unknown): number | undefined {
  const [task] = planOf(JSON.stringify({ do: [{ t: { wait } }] })).tasks;
  return task?.kind === 'wait' ? task.durationMs : undefined;
}

describe('a duration', () => {
  it('in ISO 8601 is the sum of its units', () => {
    fc.assert(
      fc.property(count, count, count, count, count, (w, d, h, m, s) => {
        const part = (n: number | undefined, unit: string) =>
          n === undefined ? '' : `${n}${unit}`;
        const time = part(h, 'H') + part(m, 'M') + part(s, 'S');
        const iso = `P${part(w, 'W')}${part(d, 'D')}${time === '' ? '' : `T${time}`}`;
        const hours = (w ?? 0) * 168 + (d ?? 0) * 24 + (h ?? 0);
        const ms = ((hours * 60 + (m ?? 0)) * 60 + (s ?? 0)) * 1000;
        expect(parseIsoDuration(iso)).toBe(iso === 'P' ? null : ms);
      }),
    );
  });

  it('means the same as an object and as ISO 8601', () => {
    const units = fc.record({
      days: fc.nat(20),
      hours: fc.nat(99),
      minutes: fc.nat(99),
      seconds: fc.nat(99),
    });
    fc.assert(
      fc.property(units, (wait) => {
        const iso = `P${wait.days}DT${wait.hours}H${wait.minutes}M${wait.seconds}S`;
        expect(durationOf(wait)).toBe(durationOf(iso));
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['PT0.5S', 500],
    ['PT1.001S', 1_001],
    ['PT4.35S', 4_350],
    ['P1DT0.07S', 86_400_070],
    ['PT2.0S', 2_000],
  ])('%s has %i ms', (text, ms) => {
    expect(parseIsoDuration(text)).toBe(ms);
    expect(durationOf(text)).toBe(ms);
  });

  it.each([
    '',
    'P',
    'PT',
    'P1',
    'PT1.5M',
    'PT1.2345S',
    'PT.5S',
    'PT1.S',
    'PT1,5S',
    'P0.5D',
    '-PT1S',
    'P1Y',
    'P1M',
    'pt1s',
    'PT1S ',
    '5s',
    'P1DT',
  ])('%j is none', (text) => {
    expect(parseIsoDuration(text)).toBeNull();
  });
});
