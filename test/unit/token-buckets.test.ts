import fc from 'fast-check';
import { TokenBuckets } from '../../support/token-buckets.ts';

/** Buckets whose clock the test moves, in milliseconds. */
function bucketsAt(count: number, seconds: number) {
  const clock = { now: 1_000 };
  return {
    clock,
    buckets: new TokenBuckets({ count, seconds }, { maxBuckets: 10, now: () => clock.now }),
  };
}

describe('a token bucket', () => {
  it('grants its count at once, then says when the next token comes', () => {
    const { buckets } = bucketsAt(3, 60);
    expect(buckets.take('a')).toEqual({ granted: true, remaining: 2, waitSeconds: 20 });
    expect(buckets.take('a')).toEqual({ granted: true, remaining: 1, waitSeconds: 20 });
    expect(buckets.take('a')).toEqual({ granted: true, remaining: 0, waitSeconds: 20 });
    expect(buckets.take('a')).toEqual({ granted: false, remaining: 0, waitSeconds: 20 });
  });

  it('grants the next when that time has passed, and not before', () => {
    const { buckets, clock } = bucketsAt(3, 60);
    for (let n = 0; n < 3; n++) buckets.take('a');
    clock.now += 19_999;
    expect(buckets.take('a')).toMatchObject({ granted: false, waitSeconds: 1 });
    clock.now += 1;
    expect(buckets.take('a')).toMatchObject({ granted: true, remaining: 0 });
  });

  it('owes the tokens that others have granted, no more than it holds', () => {
    const { buckets, clock } = bucketsAt(3, 60);
    buckets.charge('a', 2);
    expect(buckets.take('a')).toEqual({ granted: true, remaining: 0, waitSeconds: 20 });
    buckets.charge('a', 2);
    expect(buckets.take('a')).toEqual({ granted: false, remaining: 0, waitSeconds: 60 });
    buckets.charge('a', 1_000);
    expect(buckets.take('a')).toEqual({ granted: false, remaining: 0, waitSeconds: 80 });
    clock.now += 80_000;
    expect(buckets.take('a')).toEqual({ granted: true, remaining: 0, waitSeconds: 20 });
  });

  it('never says that a request that it refuses may come again after 0 seconds', () => {
    const count = fc.integer({ min: 1, max: 1_000 });
    const beforeNext = fc.double({ min: 1e-6, max: 0.01, noNaN: true });
    fc.assert(
      fc.property(count, fc.integer({ min: 1, max: 60 }), beforeNext, (many, seconds, early) => {
        const { buckets, clock } = bucketsAt(many, seconds);
        for (let n = 0; n < many; n++) buckets.take('a');
        clock.now += (seconds * 1_000) / many - early;
        const { granted, waitSeconds } = buckets.take('a');
        expect(granted || waitSeconds >= 1).toBe(true);
      }),
      { examples: [[600, 60, 0.000_5]] },
    );
  });

  it('is one for each key', () => {
    const { buckets } = bucketsAt(1, 60);
    expect(buckets.take('a').granted).toBe(true);
    expect(buckets.take('b').granted).toBe(true);
    expect(buckets.take('a').granted).toBe(false);
  });

  it('is kept for so many keys: the one unused for longest is forgotten first', () => {
    const { buckets } = bucketsAt(1, 60);
    for (let n = 0; n < 10; n++) buckets.take(`key ${n}`);
    expect(buckets.take('key 0').granted).toBe(false);
    buckets.take('one more');
    expect(buckets.take('key 0').granted).toBe(false);
    expect(buckets.take('key 1').granted).toBe(true);
  });

  it('takes back what was not used', () => {
    const { buckets } = bucketsAt(1, 60);
    buckets.take('a');
    buckets.putBack('a');
    expect(buckets.take('a').granted).toBe(true);
    expect(buckets.take('a').granted).toBe(false);
  });

  it('never holds more than its count, however much is put back and however long it rests', () => {
    const { buckets, clock } = bucketsAt(2, 60);
    buckets.take('a');
    for (let n = 0; n < 5; n++) buckets.putBack('a');
    clock.now += 1e9;
    expect([1, 2, 3].map(() => buckets.take('a').granted)).toEqual([true, true, false]);
  });

  it('is full after a reset, which says what was taken', () => {
    const { buckets, clock } = bucketsAt(4, 60);
    for (let n = 0; n < 4; n++) buckets.take('a');
    clock.now += 16_000;
    expect(buckets.reset('a')).toEqual({ taken: 3, empty: false });
    expect(buckets.reset('a')).toEqual({ taken: 0, empty: false });
    for (let n = 0; n < 4; n++) expect(buckets.take('a').granted).toBe(true);
    expect(buckets.reset('a')).toEqual({ taken: 4, empty: true });
  });

  it('does what a bucket of real tokens does, whatever the limit and the times', () => {
    const limit = {
      count: fc.integer({ min: 1, max: 50 }),
      seconds: fc.integer({ min: 1, max: 90 }),
    };
    const pauses = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 100 });
    fc.assert(
      fc.property(fc.record(limit), pauses, ({ count, seconds }, steps) => {
        const { buckets, clock } = bucketsAt(count, seconds);
        let tokens = count;
        for (const pause of steps) {
          clock.now += pause;
          tokens = Math.min(count, tokens + (pause * count) / (seconds * 1_000));
          fc.pre(Math.abs(tokens - Math.round(tokens)) > 1e-4 || Math.abs(tokens % 1) < 1e-9);
          const granted = tokens + 1e-6 >= 1;
          if (granted) tokens -= 1;
          const quota = buckets.take('a');
          expect(quota).toMatchObject({ granted, remaining: Math.floor(tokens + 1e-6) });
          const missing = Math.floor(tokens + 1e-6) + 1 - tokens;
          const wait = (missing * seconds) / count;
          expect(quota.waitSeconds).toBeGreaterThan(wait - 0.01);
          expect(quota.waitSeconds).toBeLessThan(wait + 1.01);
        }
      }),
    );
  });
});
