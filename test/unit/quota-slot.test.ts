import fc from 'fast-check';
import { chooseFreeSlot, nthFreeSlot } from '../../support/quota-slot.ts';

test('the nth free slot is the nth of the numbers that are not taken', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(60)), fc.nat(30), (taken, n) => {
      const free = Array.from({ length: 200 }, (_, slot) => slot).filter((s) => !taken.includes(s));
      expect(nthFreeSlot(taken, n)).toBe(free[n]);
    }),
  );
});

test('a chosen slot is free and below the limit; without a free slot the choice is refused', () => {
  const refusal = () => new Error('none is left');
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(20)), fc.nat(25), (taken, limit) => {
      if (taken.length >= limit) {
        return expect(() => chooseFreeSlot(taken, limit, refusal)).toThrow('none is left');
      }
      const slot = chooseFreeSlot(taken, limit, refusal);
      expect(taken).not.toContain(slot);
      expect(slot).toBeLessThan(limit);
    }),
  );
});

test('holders without a slot count: concurrent choices take as many slots as are left', () => {
  const refusal = () => new Error('none is left');
  const slots = [undefined, 3, undefined, null];
  const chosen = Array.from({ length: 200 }, () => chooseFreeSlot(slots, 6, refusal));
  expect([...new Set(chosen)].sort()).toEqual([0, 1]);
  expect(() => chooseFreeSlot(slots, 4, refusal)).toThrow('none is left');
});
