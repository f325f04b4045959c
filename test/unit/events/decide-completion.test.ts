import { backoffOf } from '../../../services/events/deliveries/delivery-times.ts';
import { decideCompletion } from '../../../services/events/delivering/decide-completion.ts';

const NOW = Date.parse('2026-01-31T09:30:00.000Z');
const deliveryOf = (failures: number, giveUpInMs: number) => ({
  _id: 1,
  subscriptionId: 2,
  eventId: 'x',
  type: 'issue.created' as const,
  resourceKey: '1:issue:1',
  position: 1,
  attempts: failures,
  failures,
  giveUpAt: new Date(NOW + giveUpInMs),
  createdAt: new Date(NOW),
});
const FAILED = { outcome: 'failed', response: null } as const;

test('the longest delay doubles from 4 s to an hour, and jitter takes any part of it', () => {
  expect([1, 2, 3, 20].map((n) => backoffOf(n, 0.9999999))).toEqual([3999, 7999, 15999, 3599999]);
  expect([1, 5, 20].map((n) => backoffOf(n, 0))).toEqual([500, 500, 500]);
});

test('a failed attempt is repeated until its time ends', () => {
  const { status, nextAttemptAt } = decideCompletion(deliveryOf(0, 60_000), FAILED, NOW, 0.5);
  expect([status, nextAttemptAt?.getTime()]).toEqual(['PENDING', NOW + 2250]);
  expect(decideCompletion(deliveryOf(0, 2_000), FAILED, NOW, 0.5)).toMatchObject({
    status: 'FAILED',
    nextAttemptAt: null,
  });
});

test('a receiver that is gone gets no further attempt', () => {
  const gone = { outcome: 'gone', response: { status: 410, body: '', durationMs: 1 } } as const;
  expect(decideCompletion(deliveryOf(0, 60_000), gone, NOW).status).toBe('FAILED');
});
