import { LaneHealth } from '../../../services/events/delivering/lanes/lane-health.ts';

const DAY_MS = 24 * 3600 * 1000;
const SENT = { outcome: 'delivered', response: null } as const;
const FAILED = { outcome: 'failed', response: null } as const;

test('a success that is not stored yet counts, although the subscription was changed meanwhile', () => {
  const dayAgo = new Date(0);
  const health = new LaneHealth(dayAgo);
  expect(health.record(SENT, DAY_MS - 2)).toBeNull();
  health.reset(dayAgo);
  expect(health.record(FAILED, DAY_MS)).toBeNull();
});

test('a change of the subscription lets it fail for another day', () => {
  const health = new LaneHealth(new Date(0));
  health.reset(null);
  expect(health.record(FAILED, DAY_MS)).toBeNull();
  expect(health.record(FAILED, 2 * DAY_MS)).toContain('24 hours');
});

test('a text that was removed says nothing about the receiver', () => {
  const health = new LaneHealth(new Date(0));
  expect(health.record({ outcome: 'expired', response: null }, 2 * DAY_MS)).toBeNull();
  expect(health.drainDelta()).toBeNull();
});
