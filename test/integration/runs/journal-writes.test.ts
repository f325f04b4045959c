import { type Plan, SandboxUnavailable, type Task } from '@workspace-automation/flow-language';
import { mongo } from 'mongoose';
import type { RunDocument } from '../../../models/run.model.ts';
import { RunStepModel } from '../../../models/run-step.model.ts';
import { executeRun } from '../../../services/runs/engine/execution/execute-run.ts';
import { Job } from '../../../services/runs/engine/execution/job.ts';
import { Journal } from '../../../services/runs/engine/execution/journal/journal.ts';
import { readCheckpoint } from '../../../services/runs/engine/execution/journal/run-checkpoints.ts';
import { LeasedRun } from '../../../services/runs/engine/lease/leased-run.ts';
import { waitFor } from '../../helpers/wait.ts';
import { bearerCall, describedCall, ToldConnections } from './described-calls.ts';
import {
  callsTo,
  claimedJob,
  noEvaluator,
  onRunsDatabase,
  planOf,
  runOf,
  type Send,
  toolsOf,
  waitOf,
} from './engine.ts';

onRunsDatabase();
const NOT_FAKED = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
] as const;
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const expression: Task = {
  kind: 'set',
  name: 'computed',
  path: '/do/9/computed',
  value: { kind: 'expression', expression: { source: '1', variables: [] } },
};
const [first, second] = callsTo('/a', '/b').tasks as [Task, Task];
const callsAround = planOf(first, expression, second);

const effectsOf = async ({ run }: Job): Promise<string[]> =>
  (await runOf(run.doc._id)).journal.filter(({ effect }) => effect).map(({ key }) => key);

test('the end of the last effect is written with the end of the run', async () => {
  // However slow the machine is, no time passes until the end.
  jest.useFakeTimers({ doNotFake: [...NOT_FAKED] });
  const push = jest.spyOn(LeasedRun.prototype, 'appendEntries');
  const [one, three] = [await claimedJob(), await claimedJob()];
  await executeRun(one, toolsOf({ plan: callsTo('/a') }));
  expect(push).toHaveBeenCalledTimes(0);
  await executeRun(three, toolsOf({ plan: callsTo('/a', '/b', '/c') }));
  expect(push).toHaveBeenCalledTimes(2);
  expect([await effectsOf(one), await effectsOf(three)].map(({ length }) => length)).toEqual([
    1, 3,
  ]);
  expect((await runOf(three.run.doc._id)).status).toBe('SUCCESS');
});

describe('calls with a credential', () => {
  /** Executes a run. `prepare` is called when a call is prepared. Returns the URLs of the requests. */
  async function execute(job: Job, plan: Plan, prepare: () => void = () => undefined) {
    const sent: string[] = [];
    const connections = new ToldConnections();
    connections.prepare = async () => {
      await null; // as the answer of another service
      prepare();
      return bearerCall('http://x.test/described', 'secret-4711');
    };
    const send: Send = async ({ url }) => void sent.push(url);
    await executeRun(job, toolsOf({ plan, send, connections }));
    return sent;
  }

  test('have their secrets written with the end of the call before, and once', async () => {
    jest.useFakeTimers({ doNotFake: [...NOT_FAKED] });
    const push = jest.spyOn(LeasedRun.prototype, 'appendEntries');
    const plan = planOf(first, describedCall('b'), describedCall('c'));
    expect(await execute(await claimedJob(), plan)).toHaveLength(3);
    const written = push.mock.calls.map(([{ entries }]) =>
      entries.filter(({ step }) => !step).map(({ effect }) => (effect ? 'end' : 'secrets')),
    );
    expect(written).toEqual([['end', 'secrets'], ['end']]);
  });

  test.each([
    ['whose process stops', (job: Job) => job.drain()],
    ['whose run is cancelled', (job: Job) => job.interrupt('cancelled')],
  ])('are not sent %s while they are prepared', async (_, happen) => {
    const job = await claimedJob();
    expect(await execute(job, planOf(describedCall('b')), () => happen(job))).toEqual([]);
  });

  test('are not sent when their secrets cannot be written', async () => {
    jest
      .spyOn(LeasedRun.prototype, 'appendEntries')
      .mockRejectedValueOnce(new Error('cannot be written'));
    expect(await execute(await claimedJob(), planOf(describedCall('b')))).toEqual([]);
  });
});

test('the end of an effect is in the database before the next effect begins', async () => {
  const job = await claimedJob();
  const seen: string[][] = [];
  const send: Send = async () => void seen.push(await effectsOf(job));
  await executeRun(job, toolsOf({ plan: callsTo('/a', '/b', '/c'), send }));
  expect(seen.map(({ length }) => length)).toEqual([0, 1, 2]);
});

test('work that takes long after an effect does not keep its end unwritten', async () => {
  const job = await claimedJob();
  const written = () => waitFor('the entry', async () => (await effectsOf(job)).length === 1);
  const evaluate = async () => {
    await written();
    return 1;
  };
  const tools = toolsOf({ plan: callsAround, evaluator: { ...noEvaluator, evaluate } });
  expect((await executeRun(job, tools)).kind).toBe('ended');
});

/** What becomes of a run whose expression, right after its first call, does that. */
async function followed(
  evaluate: (job: Job) => Promise<never>,
): Promise<{ job: Job; sent: number; kind: string; run: RunDocument }> {
  const job = await claimedJob();
  let sent = 0;
  const send: Send = async () => void sent++;
  const evaluator = { ...noEvaluator, evaluate: () => evaluate(job) };
  const { kind } = await executeRun(job, toolsOf({ plan: callsAround, send, evaluator }));
  return { job, sent, kind, run: await runOf(job.run.doc._id) };
}

test('a run that is given back keeps the end of its last effect', async () => {
  const stopped = await followed((job) => {
    job.interrupt('stopping');
    return new Promise(() => undefined);
  });
  expect(stopped.kind).toBe('released');
  expect(stopped.run).toMatchObject({ ready: true, status: 'RUNNING' });
  expect(await effectsOf(stopped.job)).toHaveLength(1);
});

test('a run that is put off keeps the end of its last effect', async () => {
  const away = await followed(() => Promise.reject(new SandboxUnavailable()));
  expect(away.kind).toBe('waiting');
  expect(away.run.backoff).toEqual({ entries: away.run.entries, times: 1 });
  expect(await effectsOf(away.job)).toHaveLength(1);
});

test('a run whose journal cannot be written during an outage is given back for its backoff', async () => {
  jest
    .spyOn(LeasedRun.prototype, 'appendEntries')
    .mockRejectedValueOnce(new mongo.MongoNetworkError('the connection broke'));
  const job = await claimedJob();
  const { kind } = await executeRun(job, toolsOf({ plan: callsTo('/a', '/b') }));
  const run = await runOf(job.run.doc._id);
  expect([kind, run.worker, run.backoff]).toEqual(['waiting', undefined, { entries: 0, times: 1 }]);
});

test('the row of a large checkpoint is written again after an outage', async () => {
  const value = { kind: 'literal', value: 'x'.repeat(20_000) } as const;
  const sets = Array.from(
    { length: 12 },
    (_, at): Task => ({ kind: 'set', name: `set${at}`, path: `/do/${at}/set${at}`, value }),
  );
  const plan = planOf(...sets, ...waitOf(60_000).tasks);
  const write = jest
    .spyOn(RunStepModel, 'updateOne')
    .mockRejectedValueOnce(new mongo.MongoNetworkError('the connection broke'));
  const job = await claimedJob();
  const { kind } = await executeRun(job, toolsOf({ plan }));
  const { _id, checkpoint } = await runOf(job.run.doc._id);
  expect([kind, checkpoint?.slot, write.mock.calls.length]).toEqual(['waiting', 0, 2]);
  expect(checkpoint && (await readCheckpoint(_id, checkpoint))).toMatchObject({ omittedSteps: 0 });
});

test('a run that ends by a defect keeps the end of its last effect', async () => {
  const defect = await followed(() => Promise.reject(new TypeError('a bug')));
  expect([defect.kind, defect.run.status]).toEqual(['ended', 'FAILED']);
  expect(await effectsOf(defect.job)).toHaveLength(1);
});

test('a run that is cancelled while it goes to rest keeps the end of its last effect', async () => {
  const { doc } = (await claimedJob({ cancelRequestedAt: new Date() })).run;
  const { cancelRequestedAt: _, ...unaware } = doc; // claimed before the cancel
  const job = new Job(unaware, 'me', () => true);
  const plan = planOf(first, ...waitOf(60_000).tasks);
  expect((await executeRun(job, toolsOf({ plan }))).kind).toBe('ended');
  expect((await runOf(doc._id)).status).toBe('CANCELLED');
  expect(await effectsOf(job)).toContain('/do/0/call0//1/1');
});

test('a write that fails meanwhile is met by the next effect', async () => {
  const unhandled = jest.fn();
  process.on('unhandledRejection', unhandled);
  const push = jest
    .spyOn(LeasedRun.prototype, 'appendEntries')
    .mockRejectedValue(new Error('cannot be written'));
  const job = await claimedJob();
  const sent: string[] = [];
  const evaluate = async () => {
    await waitFor('the write', async () => push.mock.calls.length > 0);
    return 1;
  };
  const send: Send = async ({ url }) => void sent.push(url);
  await executeRun(
    job,
    toolsOf({ plan: callsAround, send, evaluator: { ...noEvaluator, evaluate } }),
  );
  process.off('unhandledRejection', unhandled);
  expect([sent, unhandled.mock.calls]).toEqual([['http://x.test/a'], []]);
  expect((await runOf(job.run.doc._id)).status).toBe('FAILED');
});

describe('what happens while the end of an effect is being written', () => {
  /** The URLs that a run of two calls has sent when that happens before the second one. */
  async function sentWhen(happens: (job: Job) => void, counts?: () => boolean): Promise<string[]> {
    const job = await claimedJob({}, counts);
    const push = LeasedRun.prototype.appendEntries;
    jest.spyOn(LeasedRun.prototype, 'appendEntries').mockImplementationOnce(async function (
      this: LeasedRun,
      ...batch
    ) {
      await push.apply(this, batch);
      happens(job);
    });
    const sent: string[] = [];
    const send: Send = async ({ url }) => void sent.push(url);
    await executeRun(job, toolsOf({ plan: callsTo('/a', '/b'), send }));
    return sent;
  }

  test('a worker that no longer counts begins no effect after it', async () => {
    let counts = true;
    const becomesStale = () => {
      counts = false;
    };
    expect(await sentWhen(becomesStale, () => counts)).toEqual(['http://x.test/a']);
  });

  test('a run that is cancelled begins no effect after it', async () => {
    expect(await sentWhen((job) => job.interrupt('cancelled'))).toEqual(['http://x.test/a']);
  });

  test('a process that stops begins no effect after it', async () => {
    expect(await sentWhen((job) => job.drain())).toEqual(['http://x.test/a']);
  });
});

test('the end of an effect that comes after the run has left is not written', async () => {
  const { run } = await claimedJob();
  const journal = new Journal(run);
  const end = { kind: 'succeeded', json: '1', completedAt: 5 } as const;
  journal.appendEffect('/do/0/a//1/1', end);
  await journal.flushEffects();
  journal.close();
  journal.appendEffect('/do/1/b//1/1', end);
  await journal.flush();
  expect((await runOf(run.doc._id)).journal.map(({ key }) => key)).toEqual(['/do/0/a//1/1']);
});

test('a move of journal entries takes no other entries out of the run', async () => {
  const { run } = await claimedJob();
  const entries = [1, 2, 3].map((n) => ({ n, key: `${n}` }));
  await run.appendEntries({ entries, from: 0, keptBytes: 0, journalBytes: 0 });
  await run.moveEntries(entries.slice(1));
  expect((await runOf(run.doc._id)).journal.map(({ n }) => n)).toEqual([1]);
});

test('a run does not end before its latest effect, also where the clock is behind', async () => {
  const { run } = await claimedJob();
  const journal = new Journal(run);
  const completedAt = Date.now() + 4_000; // by a clock that was corrected meanwhile
  journal.appendEffect('/do/0/a//1/1', { kind: 'succeeded', json: '1', completedAt });
  await journal.end({ status: 'SUCCESS', output: '1' });
  expect((await runOf(run.doc._id)).completedAt).toEqual(new Date(completedAt));
});

test('entries that could not be written do not count as bytes of the run that ends without them', async () => {
  const { run } = await claimedJob();
  const journal = new Journal(run);
  const appended = jest.spyOn(run, 'appendEntries').mockRejectedValueOnce(new Error('refused'));
  const json = JSON.stringify('x'.repeat(100_000));
  journal.appendEffect('/do/0/a//1/1', { kind: 'succeeded', json, completedAt: 5 });
  await expect(journal.flush()).rejects.toThrow('refused');
  expect(appended).toHaveBeenCalledTimes(1);
  await run.end({ status: 'FAILED' }, journal.endBatch);
  expect((await runOf(run.doc._id)).journalBytes).toBe(0);
});
