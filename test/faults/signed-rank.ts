/** The outcome of a two-sided Wilcoxon signed-rank test of paired differences. */
export interface SignedRank {
  /** The probability of a statistic this far from its mean when neither side tends to be the larger. */
  p: number;
  /** The standardised statistic; positive when the first of the pairs tend to be the larger. */
  z: number;
  medianDifference: number;
}

/**
 * Tests whether the first or the second of the pairs tends to be the larger (Wilcoxon 1945), by the normal
 * approximation with corrections for ties and continuity. Pairs without a difference are left out. With fewer than
 * 20 pairs left the approximation does not hold.
 */
export function signedRank(pairs: readonly (readonly [number, number])[]): SignedRank {
  const all = pairs.map(([one, other]) => one - other);
  const differences = all.filter((difference) => difference !== 0);
  const n = differences.length;
  if (n === 0) return { p: 1, z: 0, medianDifference: 0 };
  const { ranks, tieCorrection } = rankByMagnitude(differences);
  const positive = differences.reduce((sum, d, at) => sum + (d > 0 ? (ranks[at] ?? 0) : 0), 0);
  const mean = (n * (n + 1)) / 4;
  const deviation = Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24 - tieCorrection / 48);
  const distance = positive - mean;
  const z = (distance - 0.5 * Math.sign(distance)) / deviation;
  return { z, p: Math.min(1, 2 * upperTail(Math.abs(z))), medianDifference: medianOf(all) };
}

/** The ranks of the values by their magnitude, equal ones sharing their mean rank, and the sum of t³ - t over ties. */
function rankByMagnitude(values: readonly number[]): { ranks: number[]; tieCorrection: number } {
  const order = values.map((value, at) => ({ size: Math.abs(value), at }));
  order.sort((a, b) => a.size - b.size);
  const ranks = new Array<number>(values.length);
  let tieCorrection = 0;
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && order[to]?.size === order[from]?.size) to++;
    for (const { at } of order.slice(from, to)) ranks[at] = (from + 1 + to) / 2;
    tieCorrection += (to - from) ** 3 - (to - from);
    from = to;
  }
  return { ranks, tieCorrection };
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  const [low = 0, high = 0] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return (low + high) / 2;
}

/** The upper tail of the normal distribution (Abramowitz and Stegun 26.2.17, error below 7.5e-8). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series =
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}
