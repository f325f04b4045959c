import { noteWrite } from '../../faults/trial/ledger.ts';
import { rowOf, tableOf } from '../../faults/trial/row.ts';
import { latenessOf, type Sample } from '../../faults/trial/sample.ts';
import { lateAnswers, type Tolerance, unexplainedFailures } from '../../faults/trial/verdict.ts';

const GATEWAY = 'http://127.0.0.1:1';
const OUTAGE = { from: 10_000, to: 14_000 };
const sample = (began: number, ended: number, more: Partial<Sample> = {}): Sample => ({
  ...{ work: 'read', method: 'GET', path: '/', began, ended, waitMs: 0, failure: null },
  ...{ hasRetryAfter: false, isRepeat: false, gateway: GATEWAY, ...more },
});

test.each([
  ['within the outage', sample(11_000, 13_000), 0],
  ['after the outage that it met', sample(9_000, 15_000), 1_000],
  ['of a request that begins after it', sample(14_500, 15_000), 500],
  ['of a request that asked to wait', sample(15_000, 17_500, { waitMs: 2_000 }), 500],
  ['before the outage', sample(2_000, 6_000), 4_000],
])('an answer %s is late by what the outage does not explain', (_where, { began, ...rest }, ms) => {
  expect(latenessOf({ began, ...rest }, [OUTAGE])).toBe(ms);
});

test('the kill of a process excuses nothing', () => {
  expect(latenessOf(sample(9_000, 13_000), [{ from: 10_000, to: 10_000 }])).toBe(3_000);
});

describe('a failed request', () => {
  const inOutage = (failure: string, more: Partial<Sample> = {}) =>
    sample(11_000, 11_100, { failure, ...more });
  const faultsOf = (one: Sample, tolerance: Tolerance = { failures: true }) =>
    unexplainedFailures([one], [OUTAGE], tolerance).length;

  it.each<[string, Sample]>([
    ['a 503 with Retry-After', inOutage('503 UNAVAILABLE', { hasRetryAfter: true })],
    ['a 504 of a deadline', inOutage('504 DEADLINE_PASSED')],
    ['a repeat under way', inOutage('409 IDEMPOTENCY_KEY_IN_FLIGHT', { isRepeat: true })],
  ])('is explained when it is %s', (_what, one) => {
    expect(faultsOf(one)).toBe(0);
    expect(faultsOf(one, { failures: false })).toBe(1);
  });

  it.each<[string, Sample]>([
    ['a 500', inOutage('500 INTERNAL_ERROR')],
    ['a 404', inOutage('404 NOT_FOUND')],
    ['a 503 without Retry-After', inOutage('503 UNAVAILABLE')],
    ['a first request in flight', inOutage('409 IDEMPOTENCY_KEY_IN_FLIGHT')],
    ['without an answer', inOutage('no answer')],
    ['lost at a living gateway', inOutage('ECONNRESET')],
  ])('is a fault when it is %s', (_what, one) => {
    expect(faultsOf(one)).toBe(1);
  });

  it('is explained at the gateway that was killed', () => {
    const tolerance = { failures: true, lostGateway: GATEWAY };
    expect(faultsOf(inOutage('ECONNRESET'), tolerance)).toBe(0);
  });

  it('is a fault before the outage, and 3 s after it', () => {
    const failed = { failure: '503 UNAVAILABLE', hasRetryAfter: true };
    expect(faultsOf(sample(8_000, 9_000, failed))).toBe(1);
    expect(lateAnswers([sample(16_900, 17_000, failed)], [OUTAGE])).toEqual([]);
    expect(lateAnswers([sample(17_100, 17_200, failed)], [OUTAGE])).toHaveLength(1);
  });
});

test('of a value that is written again and again, the last one stands, or one whose write failed after it', () => {
  const values = new Map<string, string[]>();
  noteWrite(values, 'key', 'one', true);
  noteWrite(values, 'key', 'two', true);
  noteWrite(values, 'key', 'three', false);
  expect(values).toEqual(new Map([['key', ['two', 'three']]]));
});

test('the table has a line for each fault', () => {
  const samples = [
    sample(9_000, 15_000),
    sample(11_000, 11_100, { failure: '504 DEADLINE_PASSED' }),
    sample(15_000, 17_100, { waitMs: 2_000 }),
  ];
  const operation = { work: 'read', began: 9_000, ended: 16_000, waitMs: 0, repeats: 1 };
  const operations = [{ ...operation, failure: null }];
  const row = rowOf('nats-server away', { samples, operations }, [OUTAGE]);
  expect(tableOf([{ ...row, faults: 0 }]).split('\n')[2]).toBe(
    '| nats-server away | 3 | 1 × 504 DEADLINE_PASSED | 1 | 6.0 s | 1.0 s | none | 7.0 s |',
  );
});
