import type { JournalEntry } from '../../../models/journal-entry.ts';
import { RunStepModel, runStepId } from '../../../models/run-step.model.ts';
import { listRuns } from '../../../services/runs/list-runs.ts';
import { listSteps } from '../../../services/runs/steps.ts';
import { onRunsDatabase, queueRun } from './engine.ts';

onRunsDatabase();

const MOST = 512 * 1024;
const error = JSON.stringify({
  type: 'https://a.test/e',
  status: 500,
  title: 'T',
  detail: 'x'.repeat(4_096),
  instance: '',
});

const stepAt = (n: number): JournalEntry => ({
  n,
  key: `k${n}`,
  step: {
    path: '/do/0/a',
    name: 'a',
    iteration: String(n),
    visit: 1,
    attempt: 1,
    status: 'FAILED',
    input: JSON.stringify('y'.repeat(3_000)),
    output: null,
    error,
    startedAt: new Date(0),
    completedAt: new Date(0),
  },
});

/** All pages, each no larger than it may be. */
async function allOf<T>(
  page: (after?: string) => Promise<{ items: T[]; after: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let after: string | undefined; ; ) {
    const { items, after: next } = await page(after);
    expect(Buffer.byteLength(JSON.stringify(items))).toBeLessThanOrEqual(MOST);
    all.push(...items);
    if (next === null) return all;
    after = next;
  }
}

test('pages of steps are bounded whatever errors are in them, and leave none out', async () => {
  const moved = Array.from({ length: 300 }, (_, at) => stepAt(at + 1));
  const tail = Array.from({ length: 10 }, (_, at) => stepAt(at + 295));
  const { _id } = await queueRun({ journal: tail, entries: 304, moved: 300 });
  await RunStepModel.insertMany(
    moved.map((entry) => ({ _id: runStepId(_id, entry.n), ...entry })),
    { lean: true },
  );
  const steps = await allOf((after) => listSteps({ runId: _id, limit: 1_000, after }));
  expect(steps.map(({ id }) => id)).toEqual(Array.from({ length: 304 }, (_, at) => at + 1));
});

test('pages of runs are bounded whatever errors are in them', async () => {
  for (let n = 0; n < 150; n++) await queueRun({ flowId: 5, status: 'FAILED', error });
  const runs = await allOf((after) => listRuns({ flowId: 5, limit: 1_000, after }));
  expect(runs).toHaveLength(150);
});
