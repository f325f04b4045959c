import type { RunDocument } from '../../../models/run.model.ts';
import { RunStepModel, runStepIds } from '../../../models/run-step.model.ts';
import { LeasedRun, LeaseLostError } from '../../../services/runs/engine/lease/leased-run.ts';
import { takeOverRuns } from '../../../services/runs/engine/lease/takeover.ts';
import type { RunWorker } from '../../../services/runs/engine/worker.ts';
import { waitFor } from '../../helpers/wait.ts';
import { callsTo, onRunsDatabase, queueRun, runOf, workerOf } from './engine.ts';

const { started } = onRunsDatabase();
afterEach(() => jest.restoreAllMocks());

/** Calls of one plan, and the paths that were sent. */
interface Calls {
  worker: RunWorker;
  sent: string[];
}

/** Starts a worker whose runs make calls. The last call fails the first time. */
async function startWorker(paths: string[], answer = 'ok'): Promise<Calls> {
  const sent: string[] = [];
  let failures = 1;
  const worker = await started(
    workerOf({
      plan: callsTo(...paths),
      send: async ({ url }) => {
        const { pathname } = new URL(url);
        sent.push(pathname);
        if (pathname === paths.at(-1) && failures-- > 0) throw new Error('no answer');
        return answer;
      },
    }),
  );
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

const endOf = ({ _id }: RunDocument): Promise<RunDocument> =>
  waitFor('the end', async () => {
    const run = await runOf(_id);
    return run.live ? null : run;
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

test('a copy whose worker is lost before a batch is moved goes on, and keeps the entries of the batch', async () => {
  const calls = await startWorker(['/a', '/b', '/c', '/d', '/last'], 'x'.repeat(400_000));
  const { worker, sent } = calls;
  const failed = await failedRun(calls);
  const move = jest
    .spyOn(LeasedRun.prototype, 'moveEntries')
    .mockRejectedValueOnce(new LeaseLostError());
  const retry = await queueRetry(failed);
  worker.wake();
  await waitFor('the batch', () => move.mock.calls.length > 0);
  const copied = await runOf(retry._id);
  expect([copied.moved, copied.journal.length]).toEqual([0, copied.entries]);
  await takeOverRuns(worker.id, retry._id);
  worker.wake();
  const ended = await endOf(retry);
  expect(ended.reused).toBeGreaterThan(copied.entries);
  expect([ended.status, sent]).toEqual(['SUCCESS', ['/last']]);
  const numbers = [...(await movedNumbers(ended)), ...ended.journal.map(({ n }) => n)];
  expect(numbers).toEqual(numbersTo(ended.entries));
});
