import { Problem } from '../../../contract/problem.ts';
import { QuotaReached, quotaProblem } from '../../../contract/quota.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { BulkJobModel } from '../../../models/bulk-job.model.ts';
import type { RunDocument } from '../../../models/run.model.ts';
import { createBulkJob } from '../../../services/runs/bulk/bulk-jobs.ts';
import { BulkWorker, type BulkWorkerOptions } from '../../../services/runs/bulk/bulk-worker.ts';
import { InputRefused } from '../../../services/runs/runs.problems.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { waitFor } from '../../helpers/wait.ts';
import { newRun, onError, onRunsDatabase, runOf, silentListeners, storeRun } from './engine.ts';

onRunsDatabase();

const FLOW = { id: 3, workspaceId: 1 };
const CHANGE = changeContext({ audit: { resource: 'bulk-job' } });
const workers: BulkWorker[] = [];

beforeEach(() => BulkJobModel.deleteMany({}));
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())));

function workerOf(options: Partial<BulkWorkerOptions>): BulkWorker {
  const worker = new BulkWorker({
    retry: () => Promise.reject(new Error('no run is retried here')),
    cancelListeners: silentListeners,
    retentionDays: 30,
    onError,
    ...options,
  });
  workers.push(worker);
  return worker;
}

/** Stores runs of the flow, from the oldest to the newest, a millisecond apart. */
async function storeRuns(count: number, fields: Partial<RunDocument>): Promise<number[]> {
  const since = Date.now() - 100_000;
  const ids: number[] = [];
  for (let n = 0; n < count; n++) {
    const run = newRun({ flowId: FLOW.id, createdAt: new Date(since + n), ...fields });
    await storeRun(run);
    ids.push(run._id);
  }
  return ids;
}
const FAILED = { status: 'FAILED' } as const;
const storeFailed = (count: number) => storeRuns(count, FAILED);
const STATUSES = { cancel: ['QUEUED'], retry: ['FAILED'] } as const;
const create = async (kind: 'cancel' | 'retry', flow = FLOW, shareOwner = 'person:1') =>
  (await createBulkJob({ kind, flow, shareOwner, status: STATUSES[kind] }, CHANGE)).jobId;
/** Lets a worker carry out a job, a new one unless given, to its end. */
async function carryOut(options: Partial<BulkWorkerOptions>, jobId?: number) {
  const id = jobId ?? (await create(options.retry ? 'retry' : 'cancel'));
  workerOf(options).wake();
  return waitFor('the end of the job', async () => {
    const job = await BulkJobModel.findById(id).lean();
    return job?.finishedAt ? job : null;
  });
}

test('owners take turns, however many jobs one of them has', async () => {
  const ownerOfRun = new Map<number, string>();
  const add = async (flowId: number, owner: string) => {
    const [runId = 0] = await storeRuns(1, { ...FAILED, flowId });
    ownerOfRun.set(runId, owner);
    await create('retry', { id: flowId, workspaceId: 1 }, owner);
  };
  for (let flowId = 100; flowId < 110; flowId++) await add(flowId, 'person:1');
  await add(200, 'person:2');
  await add(300, 'person:3');
  const inTurn: (string | undefined)[] = [];
  workerOf({ retry: async (runId) => inTurn.push(ownerOfRun.get(runId)) }).wake();
  await waitFor('all retries', () => inTurn.length === 12);
  expect(inTurn.slice(0, 4)).toEqual(['person:1', 'person:2', 'person:3', 'person:1']);
});

test('a job of many batches takes each run once, from the newest on', async () => {
  const ids = await storeFailed(130);
  const retried: number[] = [];
  const job = await carryOut({ retry: async (runId) => retried.push(runId) });
  expect(job).toMatchObject({ done: 130, failed: 0, batch: [] });
  expect(retried).toEqual(ids.toReversed());
});

test('a job leaves out the runs that have been retried, so that a repeat goes on with the last ones', async () => {
  const ids = await storeFailed(120);
  const [last] = await storeRuns(1, { ...FAILED, retryOf: ids[1] });
  const retried: number[] = [];
  const retry = async (runId: number) => {
    await storeRuns(1, { ...FAILED, retryOf: runId });
    retried.push(runId);
  };
  expect(await carryOut({ retry })).toMatchObject({ done: 120, failed: 0 });
  const expected = [...ids.filter((id) => id !== ids[1]), last];
  expect(retried.toSorted()).toEqual(expected.toSorted());
  expect(new Set(retried).size).toBe(120);
  expect(await carryOut({ retry })).toMatchObject({ done: 120, failed: 0 });
  expect(new Set(retried).size).toBe(240);
});

test('a retry that is refused counts as failed', async () => {
  const [refused] = await storeFailed(3);
  const retry = async (runId: number) => {
    if (runId === refused) throw new Problem(InputRefused, 'no');
  };
  expect(await carryOut({ retry })).toMatchObject({ done: 2, failed: 1 });
});

test('a job waits while the workspace may queue no run, and goes on with the same ids', async () => {
  await storeFailed(7);
  const starts = new Map<number, Set<number | undefined>>();
  let refusals = 2;
  const retry = async (runId: number, { reservedId }: ChangeContext) => {
    starts.set(runId, (starts.get(runId) ?? new Set()).add(reservedId));
    if (starts.size > 3 && refusals-- > 0)
      throw quotaProblem(QuotaReached, 'QUEUED_RUNS_PER_WORKSPACE', 1, 'full');
  };
  expect(await carryOut({ retry })).toMatchObject({ done: 7, failed: 0 });
  expect([...starts.values()].map(({ size }) => size)).toEqual(Array(7).fill(1));
});

test('a cancel of many runs ends each, and leaves those that were made later', async () => {
  const ids = await storeRuns(60, {});
  const jobId = await create('cancel');
  const [later = 0] = await storeRuns(1, { createdAt: new Date(Date.now() + 60_000) });
  expect(await carryOut({}, jobId)).toMatchObject({ done: 60, failed: 0 });
  const statuses = await Promise.all(ids.map(async (id) => (await runOf(id)).status));
  expect(new Set(statuses)).toEqual(new Set(['CANCELLED']));
  expect((await runOf(later)).status).toBe('QUEUED');
});

test('a finished job is deleted after the retention of runs', async () => {
  const { expiresAt, finishedAt } = await carryOut({ retentionDays: 3 });
  expect((expiresAt?.getTime() ?? 0) - (finishedAt?.getTime() ?? 0)).toBe(3 * 24 * 3_600_000);
});
