import type { RunError } from '../../../services/runs/contract/resources.ts';
import { FailedEntry } from '../../../services/runs/engine/execution/reuse/failed-entry.ts';

const PROBLEM = {
  type: 'https://a.test/e',
  status: 500,
  title: 'HTTP_STATUS',
  detail: 'it was 500',
};
const errorAt = (instance: string, more: Partial<RunError> = {}): RunError => ({
  ...PROBLEM,
  ...more,
  instance,
});
type Kind = 'succeeded' | 'failed' | 'timed-out';
const entry = (n: number, key: string, kind: Kind = 'succeeded', problem = PROBLEM) => ({
  n,
  key,
  effect: { kind, json: kind === 'failed' ? JSON.stringify(problem) : 'null', completedAt: 0 },
});
function failedOf(error: RunError, entries: ReturnType<typeof entry>[]): number {
  const failed = new FailedEntry(error);
  for (const each of entries) failed.add(each);
  return failed.n;
}

test('a call that failed is the failed step, the last one where it failed before', () => {
  const entries = [
    entry(1, '/do/0/a//1/1'),
    entry(2, '/do/1/b/0/1/1', 'failed'),
    entry(3, '/do/1/b/1/1/1', 'failed'),
  ];
  expect(failedOf(errorAt('/do/1/b'), entries)).toBe(3);
});

test('a task that only computes has no entry, also where a call of it failed before', () => {
  const entries = [entry(1, '/do/0/a/0/1/1', 'failed'), entry(2, '/do/0/a/1/1/1')];
  const error = errorAt('/do/0/a', { title: 'EXPRESSION_FAILED', detail: 'no such function' });
  expect(failedOf(error, entries)).toBe(Number.POSITIVE_INFINITY);
});

test('a deadline around a call fails at the call that it stopped', () => {
  const entries = [
    entry(1, '/do/0/all/do/0/a//1/1'),
    entry(2, '/do/0/all/do/1/b//1/1', 'timed-out'),
  ];
  expect(failedOf(errorAt('/do/0/all', { title: 'TASK_TIMEOUT' }), entries)).toBe(2);
});

test('an error that a catch raises fails at the call that was caught', () => {
  const error = errorAt('/do/0/all/catch/do/0/report', { title: 'OWN' });
  const tried = [entry(1, '/do/0/all/try/0/a//1/1'), entry(2, '/do/0/all/try/1/b//1/1', 'failed')];
  expect(failedOf(error, [...tried, entry(3, '/do/0/all/catch/do/0/tell//1/1')])).toBe(2);
  expect(failedOf(error, [entry(1, '/do/0/all/try/0/a//1/1')])).toBe(Number.POSITIVE_INFINITY);
});

test('the decision of a fork is made again where a branch of it failed', () => {
  const error = errorAt('/do/0/sides/fork/branches/0/left', { title: 'OWN' });
  const other = entry(1, '/do/0/sides/fork/branches/1/right//1/1');
  expect(failedOf(error, [other, entry(2, '/do/0/sides//1/1#decided')])).toBe(2);
});
