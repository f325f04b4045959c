import type { OutboundClient } from '@workspace-automation/outbound-http';
import type { RunDocument } from '../../../models/run.model.ts';
import { RunStepModel, runStepIds } from '../../../models/run-step.model.ts';
import { cancelRun } from '../../../services/runs/cancel-run.ts';
import { LeasedRun, LeaseLostError } from '../../../services/runs/engine/lease/leased-run.ts';
import { takeOverRuns } from '../../../services/runs/engine/lease/takeover.ts';
import type { RunWorker } from '../../../services/runs/engine/worker.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  callsTo,
  clientOf,
  endOf,
  onRunsDatabase,
  queueRun,
  runOf,
  silentListeners,
  workerOf,
} from './engine.ts';

const { started } = onRunsDatabase();
afterEach(() => jest.restoreAllMocks());

/** Calls of one plan, and the paths that were sent. */
interface Calls {
  worker: RunWorker;
  sent: string[];
}

/** Starts a worker whose runs make calls. The last call is answered with 503 the first time. */
async function startWorker(paths: string[], answer = 'ok'): Promise<Calls> {
  const sent: string[] = [];
  let failures = 1;
  const client = clientOf(async () => answer);
  const outbound: OutboundClient = {
    ...client,
    async send(request) {
      const { pathname } = new URL(request.url);
      sent.push(pathname);
      const fails = pathname === paths.at(-1) && failures-- > 0;
      return { ...(await client.send(request)), ...(fails ? { status: 503 } : {}) };
    },
  };
  const worker = await started(workerOf({ plan: callsTo(...paths), outbound }));
  return { worker, sent };
}

const queueRetry = (retried: RunDocument, fields: Partial<RunDocument> = {}) =>
  queueRun({
    retryOf: retried._id,
    originId: retried.originId ?? retried._id,
    attempt: (retried.attempt ?? 1) + 1,
    copiesJournal: true,
    ...fields,
  });

/** Executes a run to its failure. Forgets the calls that it has sent. */
async function failedRun({ worker, sent }: Calls): Promise<RunDocument> {
  const run = await queueRun();
  worker.wake();
  const ended = await endOf(run);
  expect(ended.status).toBe('FAILED');
  sent.length = 0;
  return ended;
}

const movedNumbers = async ({ _id }: RunDocument): Promise<number[]> =>
  (await RunStepModel.find({ _id: runStepIds(_id) }).sort({ _id: 1 })).map(({ n }) => n);

const numbersTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

/** Queues a retry whose worker loses it after the first batch of its copy. Returns the retry as it was left. */
async function queueCopyThatIsCut({ worker }: Calls, retried: RunDocument): Promise<RunDocument> {
  const move = jest
    .spyOn(LeasedRun.prototype, 'moveEntries')
    .mockRejectedValueOnce(new LeaseLostError());
  const retry = await queueRetry(retried);
  worker.wake();
  await waitFor('the batch', () => move.mock.calls.length > 0);
  move.mockRestore();
  return runOf(retry._id);
}

const cancel = (run: RunDocument) => cancelRun(run, changeContext(), silentListeners);

const LARGE_CALLS = ['/a', '/b', '/c', '/d', '/last'];
const LARGE_ANSWER = 'x'.repeat(400_000);

test('a copy whose worker is lost before a batch is moved goes on, and keeps the entries of the batch', async () => {
  const calls = await startWorker(LARGE_CALLS, LARGE_ANSWER);
  const { worker, sent } = calls;
  const retry = await queueCopyThatIsCut(calls, await failedRun(calls));
  expect([retry.moved, retry.journal.length]).toEqual([0, retry.entries]);
  await takeOverRuns(worker.id, retry._id);
  worker.wake();
  const ended = await endOf(retry);
  expect(ended.reused).toBeGreaterThan(retry.entries);
  expect([ended.status, sent]).toEqual(['SUCCESS', ['/last']]);
  const numbers = [...(await movedNumbers(ended)), ...ended.journal.map(({ n }) => n)];
  expect(numbers).toEqual(numbersTo(ended.entries));
});

test('a copy that is cancelled after another worker went on with it keeps the number of its last moved entry', async () => {
  const calls = await startWorker(LARGE_CALLS, LARGE_ANSWER);
  const { worker } = calls;
  const retry = await queueCopyThatIsCut(calls, await failedRun(calls));
  const move = LeasedRun.prototype.moveEntries;
  jest.spyOn(LeasedRun.prototype, 'moveEntries').mockImplementationOnce(async function (
    this: LeasedRun,
    entries,
  ) {
    await move.call(this, entries);
    await cancel(retry);
    worker.cancel(retry._id);
  });
  await takeOverRuns(worker.id, retry._id);
  worker.wake();
  const { status, moved, entries } = await endOf(retry);
  expect([status, moved]).toEqual(['CANCELLED', entries]);
  expect(entries).toBeGreaterThan(retry.entries);
});

test('a retry of retries that were cancelled before they began reuses the journal of the run before them', async () => {
  const calls = await startWorker(['/a', '/b', '/last']);
  const failed = await failedRun(calls);
  const second = await queueRetry(failed, { ready: undefined as never });
  await cancel(second);
  const third = await queueRetry(second, { ready: undefined as never });
  await cancel(third);
  const fourth = await queueRetry(third);
  calls.worker.wake();
  expect((await endOf(fourth)).status).toBe('SUCCESS');
  expect(calls.sent).toEqual(['/last']);
});

test('a retry of a retry that was cancelled within its copy reuses the whole journal of the run before it', async () => {
  const calls = await startWorker(LARGE_CALLS, LARGE_ANSWER);
  const { worker, sent } = calls;
  const second = await queueCopyThatIsCut(calls, await failedRun(calls));
  await cancel(second);
  await takeOverRuns(worker.id, second._id);
  worker.wake();
  expect((await endOf(second)).entries).toBe(second.entries);
  const third = await queueRetry(second);
  worker.wake();
  const ended = await endOf(third);
  expect(ended.reused).toBeGreaterThan(second.entries);
  expect([ended.status, sent]).toEqual(['SUCCESS', ['/last']]);
});
