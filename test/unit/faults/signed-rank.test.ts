import { randomOf } from '../../faults/random.ts';
import { medianOf, signedRank } from '../../faults/signed-rank.ts';

/** Pairs of long-tailed times, the first of them `shift` longer. */
function pairsOf(count: number, shift: number, seed: number): [number, number][] {
  const random = randomOf(seed);
  const time = () => 20 - 3 * Math.log(1 - random());
  return Array.from({ length: count }, () => [time() + shift, time()]);
}

it('finds the values of a worked example', () => {
  // Differences 15, -7, 5, 20, 0, -9, 17, -12, 5, -10: 27 of 45 ranks are positive.
  const first = [125, 115, 130, 140, 140, 115, 140, 125, 140, 135];
  const second = [110, 122, 125, 120, 140, 124, 123, 137, 135, 145];
  const { z, p } = signedRank(first.map((one, at) => [one, second[at] ?? 0]));
  expect(z).toBeCloseTo(0.4743, 3);
  expect(p).toBeCloseTo(0.6353, 3);
});

it('tells equal kinds apart about as often as its level says', () => {
  const ps = Array.from({ length: 500 }, (_, seed) => signedRank(pairsOf(60, 0, seed)).p);
  const told = ps.filter((p) => p < 0.05).length / ps.length;
  expect(told).toBeGreaterThan(0.02);
  expect(told).toBeLessThan(0.09);
});

it('finds a small difference in 500 pairs, on either side', () => {
  const pairs = pairsOf(500, 1, 7);
  const { p, z } = signedRank(pairs);
  expect(p).toBeLessThan(0.0001);
  expect(z).toBeGreaterThan(0);
  const mirrored = signedRank(pairs.map(([one, other]) => [other, one]));
  expect(mirrored.z).toBeCloseTo(-z, 10);
  expect(mirrored.p).toBeCloseTo(p, 10);
});

it('finds nothing where there is no difference at all', () => {
  expect(signedRank([[1, 1]])).toEqual({ p: 1, z: 0, medianDifference: 0 });
});

it('knows the median', () => {
  expect([medianOf([3, 1, 2]), medianOf([4, 1, 2, 3]), medianOf([])]).toEqual([2, 2.5, 0]);
});
