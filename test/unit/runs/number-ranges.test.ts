import fc from 'fast-check';
import {
  numbersIn,
  rangesOf,
} from '../../../services/runs/engine/execution/journal/number-ranges.ts';

test('consecutive numbers are one range, in whatever order they come', () => {
  expect(rangesOf([])).toEqual([]);
  expect(rangesOf([7, 2, 3, 9, 1])).toEqual([
    { from: 1, to: 3 },
    { from: 7, to: 7 },
    { from: 9, to: 9 },
  ]);
});

test('the ranges of numbers have these numbers and no others', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 40 })), (numbers) => {
      const inRanges = rangesOf(numbers).flatMap(numbersIn);
      expect(inRanges).toEqual(numbers.toSorted((a, b) => a - b));
    }),
  );
});
