import fc from 'fast-check';
import { nthFreeSlot } from '../../support/quota-slot.ts';

test('the nth free slot is the nth of the numbers that are not taken', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(60)), fc.nat(30), (taken, n) => {
      const free = Array.from({ length: 200 }, (_, slot) => slot).filter((s) => !taken.includes(s));
      expect(nthFreeSlot(taken, n)).toBe(free[n]);
    }),
  );
});
