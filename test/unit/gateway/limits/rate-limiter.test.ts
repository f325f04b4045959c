import type { ServerResponse } from 'node:http';
import { RateLimiter } from '../../../../mixins/gateway/limits/rate-limiter.ts';
import { MAX_REPORTED } from '../../../../mixins/gateway/limits/request-counts.ts';
import { requestsCounted } from '../../../../services/api/api.events.ts';

const LIMIT = { count: 10, seconds: 3600 };
const RESPONSE = { setHeader: () => undefined } as unknown as ServerResponse;
const client = (address = '192.0.2.1') => ({ address, userAgent: null });
const person = (userId: number) =>
  ({ kind: 'person', userId, name: 'Ada', sessionId: 's' }) as const;

const admits = (limiter: RateLimiter, userId = 1): boolean => {
  try {
    limiter.admit(person(userId), client(), RESPONSE);
    return true;
  } catch {
    return false;
  }
};
const countAdmitted = (limiter: RateLimiter): number => {
  let count = 0;
  while (admits(limiter)) count++;
  return count;
};

test('gateways that tell one another admit the limit in sum', () => {
  const [one, other] = [new RateLimiter(LIMIT), new RateLimiter(LIMIT)];
  for (let n = 0; n < 6; n++) admits(one);
  const counts = one.drainCounts();
  expect(counts).toEqual([{ kind: 'caller', key: 'user:1', count: 6 }]);
  expect(one.drainCounts()).toEqual([]);
  other.chargeCounts(counts);
  expect(countAdmitted(other)).toBe(4);
  one.chargeCounts(other.drainCounts());
  expect(countAdmitted(one)).toBe(0);
  expect(admits(one, 2)).toBe(true);
});

test('refused requests, reports of others and good tokens are not reported', () => {
  const limiter = new RateLimiter(LIMIT);
  limiter.chargeCounts([{ kind: 'caller', key: 'user:1', count: 10 }]);
  expect(countAdmitted(limiter)).toBe(0);
  limiter.admitGuess(client(), RESPONSE);
  limiter.forgetGuess(client());
  expect(limiter.drainCounts()).toEqual([]);
});

test('a good token that was reported as a guess is taken off the next report', () => {
  const limiter = new RateLimiter(LIMIT);
  limiter.admitGuess(client(), RESPONSE);
  expect(limiter.drainCounts()).toMatchObject([{ kind: 'guess', count: 1 }]);
  limiter.forgetGuess(client());
  expect(limiter.drainCounts()).toEqual([]);
  limiter.admitGuess(client(), RESPONSE);
  expect(limiter.drainCounts()).toEqual([]);
  limiter.admitGuess(client(), RESPONSE);
  expect(limiter.drainCounts()).toMatchObject([{ kind: 'guess', count: 1 }]);
});

test('a report is bounded, and names those with the most requests', () => {
  const limiter = new RateLimiter(LIMIT);
  for (let userId = 2; userId < 20_000; userId++) admits(limiter, userId);
  for (let n = 0; n < 3; n++) admits(limiter, 2);
  const counts = limiter.drainCounts();
  expect(counts).toHaveLength(MAX_REPORTED);
  expect(counts[0]).toEqual({ kind: 'caller', key: 'user:2', count: 4 });
  expect(requestsCounted.payload.safeParse({ counts }).success).toBe(true);
  expect(Buffer.byteLength(JSON.stringify({ counts }))).toBeLessThan(128 * 1024);
});

test.each<unknown>([
  { counts: [{ kind: 'caller', key: 'user:1', count: -5 }] },
  { counts: [{ kind: 'caller', key: 'x'.repeat(101), count: 1 }] },
  { counts: [{ kind: 'all', key: 'user:1', count: 1 }] },
  { counts: [{ kind: 'caller', key: 'user:1', count: Number.POSITIVE_INFINITY }] },
  { counts: Array(MAX_REPORTED + 1).fill({ kind: 'caller', key: 'user:1', count: 1 }) },
  {},
])('a report such as %# is not valid', (payload) => {
  expect(requestsCounted.payload.safeParse(payload).success).toBe(false);
});
