import type { NumberRange } from '../../../../../models/journal-entry.ts';

/** Makes the ranges of numbers, in ascending order. */
export function rangesOf(numbers: readonly number[]): NumberRange[] {
  const ranges: NumberRange[] = [];
  for (const n of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && n <= last.to + 1) last.to = n;
    else ranges.push({ from: n, to: n });
  }
  return ranges;
}

/** Lists the numbers of a range. */
export const numbersIn = ({ from, to }: NumberRange): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
