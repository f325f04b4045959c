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
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

/** Lets no time pass for `setTimeout`, however slow the machine is. */
function fakeTimeouts(): void {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
    ],
  });
}

const AWAY = new mongo.MongoNetworkError('the connection broke');
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

/** Answers calls, and keeps their URLs. */
function recordSends(): { send: Send; sent: string[] } {
  const sent: string[] = [];
  return { sent, send: async ({ url }) => void sent.push(url) };
}

test('the end of the last effect is written with the end of the run', async () => {
  fakeTimeouts();
  const push = jest.spyOn(LeasedRun.prototype, 'appendEntries');
  const [one, three] = [await claimedJob(), await claimedJob()];
  await executeRun(one, toolsOf({ plan: callsTo('/a') }));
  expect(push).toHaveBeenCalledTimes(0);
  expect(await effectsOf(one)).toHaveLength(1);
  await executeRun(three, toolsOf({ plan: callsTo('/a', '/b', '/c') }));
  expect(push).toHaveBeenCalledTimes(2);
  expect(await effectsOf(three)).toHaveLength(3);
  expect((await runOf(three.run.doc._id)).status).toBe('SUCCESS');
});

describe('calls with a credential', () => {
  /** Executes a run. `prepare` is called when a call is prepared. Returns the URLs of the requests. */
  async function execute(job: Job, plan: Plan, prepare: () => void = () => undefined) {
    const { send, sent } = recordSends();
    const connections = new ToldConnections();
    connections.prepare = async () => {
      await null; // as the answer of another service
      prepare();
      return bearerCall('http://x.test/described', 'secret-4711');
    };
    await executeRun(job, toolsOf({ plan, send, connections }));
    return sent;
  }

  test('have their secrets written with the end of the call before, and once', async () => {
    fakeTimeouts();
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
    const job = await claimedJob();
    jest.spyOn(job.run, 'appendEntries').mockRejectedValueOnce(new Error('cannot be written'));
    expect(await execute(job, planOf(describedCall('b')))).toEqual([]);
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

test.each<[string, string, (job: Job) => Promise<never>, (run: RunDocument) => object]>([
  [
    'is given back',
    'released',
    (job) => {
      job.interrupt('stopping');
      return new Promise(() => undefined);
    },
    () => ({ ready: true, status: 'RUNNING' }),
  ],
  [
    'is put off',
    'waiting',
    () => Promise.reject(new SandboxUnavailable()),
    ({ entries }) => ({ backoff: { entries, times: 1 } }),
  ],
  [
    'ends by a defect',
    'ended',
    () => Promise.reject(new TypeError('a bug')),
    () => ({ status: 'FAILED' }),
  ],
])('a run that %s keeps the end of its last effect', async (_, kind, evaluate, fields) => {
  const job = await claimedJob();
  const evaluator = { ...noEvaluator, evaluate: () => evaluate(job) };
  const end = await executeRun(job, toolsOf({ plan: callsAround, evaluator }));
  expect(end.kind).toBe(kind);
  const run = await runOf(job.run.doc._id);
  expect(run).toMatchObject(fields(run));
  expect(await effectsOf(job)).toHaveLength(1);
});

test('a run whose journal cannot be written during an outage is given back for its backoff', async () => {
  const job = await claimedJob();
  jest.spyOn(job.run, 'appendEntries').mockRejectedValueOnce(AWAY);
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
  const write = jest.spyOn(RunStepModel, 'updateOne').mockRejectedValueOnce(AWAY);
  const job = await claimedJob();
  const { kind } = await executeRun(job, toolsOf({ plan }));
  const { _id, checkpoint } = await runOf(job.run.doc._id);
  expect([kind, checkpoint?.slot, write.mock.calls.length]).toEqual(['waiting', 0, 2]);
  expect(checkpoint && (await readCheckpoint(_id, checkpoint))).toMatchObject({ omittedSteps: 0 });
});

test('a run that is cancelled while it goes to rest ends, and keeps the end of its last effect', async () => {
  const { doc } = (await claimedJob({ cancelRequestedAt: new Date() })).run;
  const { cancelRequestedAt: _, ...unaware } = doc; // claimed before the cancel
  const job = new Job(unaware, 'me', () => true);
  const plan = planOf(first, ...waitOf(60_000).tasks);
  expect((await executeRun(job, toolsOf({ plan }))).kind).toBe('ended');
  expect(await runOf(doc._id)).toMatchObject({ status: 'CANCELLED', error: null });
  expect(await effectsOf(job)).toContain('/do/0/call0//1/1');
});

test('a write that fails meanwhile is met by the next effect', async () => {
  const unhandled = jest.fn();
  process.on('unhandledRejection', unhandled);
  const job = await claimedJob();
  const push = jest
    .spyOn(job.run, 'appendEntries')
    .mockRejectedValue(new Error('cannot be written'));
  const { send, sent } = recordSends();
  const evaluate = async () => {
    await waitFor('the write', async () => push.mock.calls.length > 0);
    return 1;
  };
  await executeRun(
    job,
    toolsOf({ plan: callsAround, send, evaluator: { ...noEvaluator, evaluate } }),
  );
  process.off('unhandledRejection', unhandled);
  expect([sent, unhandled.mock.calls]).toEqual([['http://x.test/a'], []]);
  expect((await runOf(job.run.doc._id)).status).toBe('FAILED');
});

test.each<[string, (job: Job, leave: () => void) => void]>([
  ['its worker no longer counts', (_, leave) => leave()],
  ['it is cancelled', (job) => job.interrupt('cancelled')],
  ['its process stops', (job) => job.drain()],
])('a run begins no effect where %s while the end of one is being written', async (_, happens) => {
  let counts = true;
  const job = await claimedJob({}, () => counts);
  const push = job.run.appendEntries.bind(job.run);
  jest.spyOn(job.run, 'appendEntries').mockImplementationOnce(async (...batch) => {
    await push(...batch);
    happens(job, () => {
      counts = false;
    });
  });
  const { send, sent } = recordSends();
  await executeRun(job, toolsOf({ plan: callsTo('/a', '/b'), send }));
  expect(sent).toEqual(['http://x.test/a']);
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
