import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from '@workspace-automation/flow-language';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import type { EffectContext } from '../../../services/runs/engine/execution/effects/effect.ts';
import { receiveSignal } from '../../../services/runs/engine/execution/effects/receive-signal.ts';
import { LeaseLostError, NO_ENTRIES } from '../../../services/runs/engine/lease/leased-run.ts';
import { signalTopic } from '../../../services/runs/engine/mailbox/topics.ts';
import type { RunWorker } from '../../../services/runs/engine/worker.ts';
import { postSignal, SignalPosts } from '../../../services/runs/signals/post-signal.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  begunAt,
  callsTo,
  claimedJob,
  claimedRun,
  endOf,
  notify,
  onRunsDatabase,
  outputOf,
  planOf,
  queueRun,
  runOf,
  silentNotifications,
  workerOf,
} from './engine.ts';

const fixture = onRunsDatabase();
const { started } = fixture;

const listenTo = (signal: string, at = 0, timeoutMs?: number): Task => ({
  kind: 'listen',
  name: `listen${at}`,
  path: `/do/${at}/listen${at}`,
  signal,
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
});
const forkOf = (...branches: Task[]): Task => ({
  kind: 'fork',
  name: 'both',
  path: '/do/0/both',
  branches: branches.map((task, at) => ({
    ...task,
    path: `/do/0/both/fork/branches/${at}/${task.name}`,
  })),
  compete: false,
});

let lastSignal = 0;
/** Posts a signal, and tells the worker as the service does. */
async function post(
  run: RunDocument,
  name: string,
  value?: unknown,
  { worker, id = ++lastSignal }: { worker?: RunWorker; id?: number } = {},
): Promise<void> {
  const change = changeContext({ reservedId: id, audit: { none: 'a test' } });
  await postSignal(run, { name, value }, change, {
    wake: async (waiting, writes) => worker?.wakeRun(waiting, writes) ?? writes.makeReady(),
    onReady: () => undefined,
    onPermitRequested: async (runId) => worker?.requestPermit(await runOf(runId)),
    onNotified: (runId) => worker?.notifyRun(runId),
  });
}
const waiting = (run: RunDocument) =>
  waitFor('the wait', async () => {
    const now = await runOf(run._id);
    return now.status === 'WAITING' && now.worker === undefined ? now : null;
  });
/** Starts a worker and a run of the tasks. */
async function runTasks(...tasks: Task[]): Promise<{ worker: RunWorker; run: RunDocument }> {
  const worker = await started(workerOf({ plan: planOf(...tasks), send: fixture.hang }));
  const run = await queueRun();
  worker.wake();
  return { worker, run };
}
async function waitingRun(...tasks: Task[]): ReturnType<typeof runTasks> {
  const { worker, run } = await runTasks(...tasks);
  return { worker, run: await waiting(run) };
}
/** Starts a run that listens to `approve` beside a call that hangs. */
async function listenBesideCall(): ReturnType<typeof runTasks> {
  const [call] = callsTo('/held').tasks;
  const begun = await runTasks(forkOf(call as Task, listenTo('approve', 1)));
  await waitFor('the call', async () => fixture.hanging === 1);
  return begun;
}
const consumed = async ({ _id }: Pick<RunDocument, '_id'>) =>
  (await runOf(_id)).consumedSignals !== undefined;
const lastOutputOf = async (run: RunDocument) => outputOf(await endOf(run));

test('a run waits for a signal without a worker, until its own deadline, and gives its body', async () => {
  const { worker, run } = await waitingRun(listenTo('approve'));
  expect(run.wakeAt).toEqual(run.deadlineAt);
  await post(run, 'approve', { by: 'Ada', $set: null }, { worker });
  expect(await lastOutputOf(run)).toEqual([{ by: 'Ada', $set: null }]);
  expect(await runOf(run._id)).not.toHaveProperty('signals');
});

test.each(['constructor', 'toString', 'hasOwnProperty'])('the name %s is a name', async (name) => {
  const { worker, run } = await waitingRun(listenTo(name));
  await post(run, name, 'x', { worker });
  expect(await lastOutputOf(run)).toEqual(['x']);
});

test('two listens side by side receive a signal each', async () => {
  const { worker, run } = await waitingRun(forkOf(listenTo('next', 0), listenTo('next', 1)));
  await post(run, 'next', 'first', { worker });
  await waitFor('the first', () => consumed(run));
  await post(run, 'next', 'second', { worker });
  const output: string[][] = await lastOutputOf(run);
  expect(output.flat().sort()).toEqual(['first', 'second']);
});

test('a run whose other branch works receives a signal where it is', async () => {
  const { worker, run } = await listenBesideCall();
  await post(run, 'approve', 'yes', { worker });
  await waitFor('the signal', () => consumed(run));
  expect(await runOf(run._id)).toMatchObject({ status: 'RUNNING', fence: 1 });
  fixture.answerCalls();
  expect(await lastOutputOf(run)).toEqual([null, ['yes']]);
});

test('a signal whose event is lost reaches a run that waits in its worker', async () => {
  const { run } = await listenBesideCall();
  await post(run, 'approve', 'yes');
  await waitFor('the signal', () => consumed(run));
});

describe('a worker that looks after the deadline of a listen', () => {
  /** A run whose task with the timeout `LISTEN_MS` has 200 ms left. */
  const nearDeadline = (path = listenTo('approve').path) =>
    queueRun(begunAt(new Date(Date.now() - LISTEN_MS + 200), path));
  const LISTEN_MS = 5_000;

  test('receives a signal from before the deadline', async () => {
    const run = await nearDeadline();
    await post(run, 'approve', 'in time');
    await sleep(300);
    await started(workerOf({ plan: planOf(listenTo('approve', 0, LISTEN_MS)) }));
    expect(await lastOutputOf(run)).toEqual(['in time']);
    const entry = (await runOf(run._id)).journal.at(1);
    expect(entry?.effect?.completedAt).toBe(Number(run.startedAt) + LISTEN_MS);
  });

  test('receives it where the deadline is that of a task around the listen', async () => {
    const run = await nearDeadline('/do/0/around');
    await post(run, 'approve', 'in time');
    await sleep(300);
    const listen = { ...listenTo('approve'), path: '/do/0/around/do/0/listen0' };
    const around = { kind: 'do', name: 'around', path: '/do/0/around', tasks: [listen] } as const;
    await started(workerOf({ plan: planOf({ ...around, timeoutMs: LISTEN_MS }) }));
    expect(await lastOutputOf(run)).toEqual(['in time']);
  });

  test('receives it although another branch has ended after the deadline', async () => {
    const [call] = callsTo('/a').tasks;
    const key = '/do/0/both/fork/branches/0/call0//1/1';
    const effect = { kind: 'succeeded', json: '1', completedAt: Date.now() + 1_000 } as const;
    const begun = begunAt(
      new Date(Date.now() - LISTEN_MS + 200),
      '/do/0/both/fork/branches/1/listen1',
    );
    const journal = [...(begun.journal ?? []), { n: 2, key, effect }];
    const run = await queueRun({ ...begun, journal, entries: 2 });
    await post(run, 'approve', 'in time');
    await sleep(300);
    const plan = planOf(forkOf(call as Task, listenTo('approve', 1, LISTEN_MS)));
    await started(workerOf({ plan }));
    expect(await lastOutputOf(run)).toEqual([1, ['in time']]);
  });

  test('leaves a signal from after the deadline to the next listen', async () => {
    const run = await nearDeadline();
    await sleep(300);
    await post(run, 'approve', 'late');
    const plan = planOf({
      kind: 'try',
      name: 'tried',
      path: '/do/0/tried',
      tasks: [listenTo('approve', 0, LISTEN_MS)],
      catch: { as: 'error', tasks: [listenTo('approve', 1)] },
    });
    await started(workerOf({ plan }));
    expect(await lastOutputOf(run)).toEqual(['late']);
  });
});

test('a run that listens to another name stays where it is', async () => {
  const { worker, run } = await waitingRun(listenTo('approve'));
  await post(run, 'other', 1, { worker });
  const after = await runOf(run._id);
  expect(after).toMatchObject({ status: 'WAITING', fence: run.fence });
  expect(after.ready).toBeUndefined();
});

test('a suspension that does not know the latest signal is refused', async () => {
  const run = await claimedRun();
  const runId = run.doc._id;
  const awaited = { topics: [signalTopic('approve')], wakeups: 0 };
  await post(run.doc, 'approve', 1);
  const until = new Date(Date.now() + 60_000);
  await expect(run.suspend(until, NO_ENTRIES, awaited)).rejects.toBeInstanceOf(LeaseLostError);
  await run.suspend(until, NO_ENTRIES, { ...awaited, wakeups: 1 });
  expect(await notify(runId, signalTopic('other'))).toBe('onNotified');
  expect(await notify(runId, signalTopic('approve'))).toBe('onReady');
  expect(await runOf(runId)).toMatchObject({ ready: true, wakeups: 3 });
  await RunModel.updateOne({ _id: runId }, { $unset: { live: 1 } });
  expect(await notify(runId, signalTopic('approve'))).toBeNull();
});

test('a repeated request posts its signal once, before and after it was received', async () => {
  const plan = planOf(listenTo('next', 0), listenTo('next', 1));
  const worker = await started(workerOf({ plan }));
  const run = await queueRun();
  await post(run, 'next', 'once', { id: 900 });
  await post(run, 'next', 'once', { id: 900 });
  expect((await runOf(run._id)).wakeups).toBe(1);
  worker.wake();
  await waiting(run);
  await post(run, 'next', 'once', { worker, id: 900 });
  expect(await runOf(run._id)).toMatchObject({ status: 'WAITING', wakeups: 1 });
});

describe('a request that is repeated after a later signal of its name', () => {
  test('neither sends its signal again nor replaces the later one', async () => {
    const listens = [0, 1, 2].map((at) => listenTo('next', at));
    const { worker, run } = await runTasks(...listens);
    for (const id of [901, 902]) {
      await post(run, 'next', id, { worker, id });
      await waitFor('the receipt', async () => (await runOf(run._id)).consumedSignals?.next === id);
    }
    await post(run, 'next', 901, { worker, id: 901 });
    expect(await runOf(run._id)).toMatchObject({ wakeups: 2, consumedSignals: { next: 902 } });
    await post(run, 'next', 903, { worker, id: 903 });
    await post(run, 'next', 902, { worker, id: 902 });
    expect(await lastOutputOf(run)).toEqual([903]);
  });

  test('is answered as before once the run has ended', async () => {
    const { worker, run } = await runTasks(listenTo('next'));
    await post(run, 'next', 'once', { worker, id: 901 });
    await endOf(run);
    await post(run, 'next', 'once', { worker, id: 901 });
    await expect(post(run, 'next', 'new', { id: 902 })).rejects.toMatchObject({
      type: 'RUN_ENDED',
    });
  });

  test('is known among the latest 64', async () => {
    const run = await queueRun();
    const ids = Array.from({ length: 66 }, (_, at) => 1_000 + at);
    for (const id of ids) await post(run, 'next', id, { id });
    expect((await runOf(run._id)).postedSignals).toEqual(ids.slice(2));
  });
});

/** A run that waits at the task, and keeps as many signals as it may. */
async function waitingWithFullStore(task: Task): ReturnType<typeof runTasks> {
  const { worker, run } = await waitingRun(task);
  for (let at = 0; at < 32; at++) await post(run, `s${at}`, at);
  return { worker, run };
}

test('a run whose store of signals is full receives the signal that it waits for', async () => {
  const { worker, run } = await waitingWithFullStore(listenTo('go'));
  await expect(post(run, 'other', 1)).rejects.toMatchObject({ type: 'SIGNALS_FULL' });
  await post(run, 'go', 'gone', { worker });
  expect(await lastOutputOf(run)).toEqual(['gone']);
});

test('a signal that does not wake the run needs room, also where the run waited for it a moment ago', async () => {
  const { worker, run } = await waitingWithFullStore(listenTo('go'));
  await worker.stop();
  await post(run, 'go', 1); // the run is ready now, and no worker claims it
  await expect(post(run, 'go', 2)).rejects.toMatchObject({ type: 'SIGNALS_FULL' });
});

test('a signal that would have woken the run needs room where the time of the wait comes first', async () => {
  const { worker, run } = await waitingWithFullStore(listenTo('go', 0, 60_000));
  await worker.stop();
  const { findById } = RunModel;
  const read = jest.spyOn(RunModel, 'findById').mockImplementationOnce(((...given: [number]) => ({
    lean: async () => {
      const found = await findById.apply(RunModel, given).lean();
      await RunModel.updateOne({ _id: run._id }, { $set: { ready: true }, $unset: { wakeAt: 1 } });
      return found;
    },
  })) as never);
  await expect(post(run, 'go', 1)).rejects.toMatchObject({ type: 'SIGNALS_FULL' });
  read.mockRestore();
});

test('of many names that a run waits for, one signal needs no room', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `n${at}`);
  const branches = names.map((name, at) => listenTo(name, at));
  const { worker, run } = await waitingRun(forkOf(...branches));
  await worker.stop();
  const large = 'x'.repeat(240 * 1024);
  const posts = [];
  for (const name of names) posts.push(await post(run, name, large).catch((error) => error.type));
  expect(posts.filter((each) => each === 'SIGNALS_FULL').length).toBeGreaterThanOrEqual(17);
});

test('a signal in time is received at a first look after the deadline, also where the claim has not read it', async () => {
  const { run, mailbox } = await claimedJob();
  const deadline = databaseClock.now() - 1;
  const signal = { id: 1, json: '"in time"', postedAt: new Date(deadline) };
  await RunModel.updateOne({ _id: run.doc._id }, { $set: { 'signals.go': signal, wakeups: 1 } });
  const context = {
    mailbox,
    key: 'k',
    deadline,
    signal: new AbortController().signal,
  } as EffectContext;
  const end = await receiveSignal({ kind: 'listen', signal: 'go' }, context);
  expect(end).toMatchObject({ kind: 'succeeded', value: 'in time' });
});

test('listens whose deadline has passed share a read', async () => {
  const { mailbox } = await claimedJob();
  const reads = jest.spyOn(RunModel, 'findById');
  const deadline = databaseClock.now() - 1;
  const { signal } = new AbortController();
  await Promise.all(
    Array.from({ length: 20 }, (_, at) => {
      const context = { mailbox, key: `k${at}`, deadline, signal } as EffectContext;
      return receiveSignal({ kind: 'listen', signal: `s${at}` }, context);
    }),
  );
  expect(reads.mock.calls.length).toBeLessThan(3);
  reads.mockRestore();
});

test('posts of many clients to one run are each taken', async () => {
  const run = await queueRun();
  const posts = new SignalPosts();
  const all = Array.from({ length: 40 }, (_, at) => {
    const change = changeContext({
      actor: { type: 'person', id: at, name: 'Ada' },
      reservedId: ++lastSignal,
      audit: { none: 'a test' },
    });
    return posts.post(run, { name: `s${at % 8}`, value: at }, change, {
      ...silentNotifications,
      wake: (_, { makeReady }) => makeReady(),
    });
  });
  await Promise.all(all);
  expect(await runOf(run._id)).toMatchObject({ wakeups: 40 });
});

test('a run keeps a bounded number of signals and bytes, and those it received do not count', async () => {
  const run = await queueRun();
  for (let at = 0; at < 32; at++) await post(run, `s${at}`, at);
  await expect(post(run, 'more', 1)).rejects.toMatchObject({ type: 'SIGNALS_FULL' });
  await post(run, 's0', 'x'.repeat(250 * 1024));
  await post(run, 's1', 'x'.repeat(250 * 1024));
  await expect(post(run, 's2', 'x'.repeat(50 * 1024))).rejects.toMatchObject({
    type: 'SIGNALS_FULL',
  });
  await started(workerOf({ plan: planOf(listenTo('s0', 0), listenTo('s1', 1), listenTo('z', 2)) }));
  await waiting(run);
  await post(run, 's2', 'x'.repeat(50 * 1024));
  expect(Object.keys((await runOf(run._id)).signals ?? {})).not.toContain('s0');
});

test('posts that meet are all counted, and the last one is kept', async () => {
  const run = await queueRun();
  await Promise.all(Array.from({ length: 20 }, (_, at) => post(run, `s${at % 4}`, at)));
  const { wakeups, signals } = await runOf(run._id);
  expect(wakeups).toBe(20);
  expect(Object.keys(signals ?? {}).sort()).toEqual(['s0', 's1', 's2', 's3']);
});
