import { jsonOf } from '@workspace-automation/flow-language';
import { performedOf } from '../../../services/runs/engine/execution/journal/effect-records.ts';
import { prefixOf } from '../../../services/runs/engine/execution/journal/step-records.ts';
import { daysBetween } from '../../../services/runs/statistics/days.ts';
import { javaDuration } from '../../../services/runs/statistics/java-duration.ts';

test('a duration has the shape of java.time.Duration', () => {
  const unit = { dateBased: false, timeBased: true, durationEstimated: false };
  expect(javaDuration(1_503)).toEqual({
    seconds: 1,
    nano: 503_000_000,
    negative: false,
    zero: false,
    units: [unit, unit],
  });
  expect(javaDuration(0)).toMatchObject({ seconds: 0, nano: 0, zero: true });
  expect(javaDuration(-250)).toMatchObject({ seconds: -1, nano: 750_000_000, negative: true });
});

describe('days', () => {
  const today = '2026-03-01';
  test('are the last 30, today included, unless said otherwise', () => {
    const days = daysBetween({}, today);
    expect([days.length, days[0], days.at(-1)]).toEqual([30, '2026-01-31', today]);
    expect(daysBetween({ to: '2026-01-31' }, today)[0]).toBe('2026-01-02');
    expect(daysBetween({ from: '2026-02-27' }, today)).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ]);
  });
  test('are at most 366 and not the wrong way round', () => {
    expect(daysBetween({ from: '2024-01-01', to: '2024-12-31' }, today)).toHaveLength(366);
    expect(() => daysBetween({ from: '2024-01-01', to: '2025-01-01' }, today)).toThrow('366');
    expect(() => daysBetween({ from: '2026-03-02' }, today)).toThrow('after');
  });
});

test('a value of the journal is not written out again', () => {
  const json = '{ "a": 1 }'; // written anew, it would have no spaces
  const performed = performedOf({ kind: 'succeeded', json, completedAt: 0 });
  expect(performed.kind === 'succeeded' && jsonOf(performed.value)).toBe(json);
});

test('the beginning of a text ends between characters', () => {
  expect(prefixOf('short', 100)).toBeNull();
  expect(prefixOf('é'.repeat(10), 20)).toBeNull();
  expect(prefixOf('é'.repeat(10), 19)).toBe('é'.repeat(9));
  expect(prefixOf('😀😀', 7)).toBe('😀');
});
