import { RecentCounts } from '../../../support/fair-shares/recent-counts.ts';

test('events count for a minute, each key apart', () => {
  let now = 0;
  const counts = new RecentCounts(() => now);
  counts.add('a');
  now = 30_000;
  counts.add('a');
  counts.add('b');
  expect([counts.of('a'), counts.of('b'), counts.of('c')]).toEqual([2, 1, 0]);
  now = 60_000;
  expect([counts.of('a'), counts.of('b')]).toEqual([1, 1]);
  now = 90_000;
  expect(counts.of('a')).toBe(0);
});

test('of very many keys those without recent events are forgotten', () => {
  const counts = new RecentCounts(() => 0);
  for (let n = 0; n < 10_001; n++) counts.add(`key ${n}`);
  expect([counts.of('key 0'), counts.of('key 1'), counts.of('key 10000')]).toEqual([0, 1, 1]);
});
