import type { Task } from '@workspace-automation/flow-language';
import { OPEN_STEP_BASE, openStepsBytes } from '../../../models/open-step.ts';
import { RunModel } from '../../../models/run.model.ts';
import { cancelRun } from '../../../services/runs/cancel-run.ts';
import type { StepSummary } from '../../../services/runs/contract/resources.ts';
import { endOverdueRuns } from '../../../services/runs/engine/lease/overdue-runs.ts';
import { getStep, listSteps } from '../../../services/runs/steps.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { waitFor } from '../../helpers/wait.ts';
import { plainCall } from './described-calls.ts';
import {
  clientOf,
  endOf,
  onRunsDatabase,
  planOf,
  queueRun,
  runOf,
  type Send,
  untilAborted,
  workerOf,
} from './engine.ts';

const { started, hang, answerCalls } = onRunsDatabase();

const setTo = (name: string, value: string): Task => ({
  kind: 'set',
  name,
  path: `/do/${name}`,
  value: { kind: 'literal', value },
});
const held = plainCall('held', 'http://x.test/held?key=1');
const send: Send = async ({ url }) => (url.includes('held') ? hang() : null);

const stepsOf = async (runId: number, limit = 100): Promise<StepSummary[]> =>
  (await listSteps({ runId, limit })).items;
const isOpen = ({ id }: StepSummary) => id > OPEN_STEP_BASE;

/** Waits until as many steps of the run are open, and lists all of its steps. */
const untilOpen = (runId: number, count: number): Promise<StepSummary[]> =>
  waitFor(`${count} open steps`, async () => {
    const steps = await stepsOf(runId);
    return steps.filter(isOpen).length === count ? steps : null;
  });

test('a call that takes long is shown with its request, after the steps before it', async () => {
  const { _id } = await queueRun();
  await started(workerOf({ plan: planOf(setTo('first', 'x'), held), send }));
  const steps = await waitFor('the request', async () => {
    const listed = await stepsOf(_id);
    return listed.at(-1)?.request ? listed : null;
  });
  expect(steps).toMatchObject([
    { id: 1, name: 'first', status: 'SUCCESS' },
    {
      id: OPEN_STEP_BASE + 1,
      name: 'held',
      status: 'RUNNING',
      input: 'x',
      output: null,
      error: null,
      completedAt: null,
      request: { method: 'GET', url: 'http://x.test/held?key=***' },
      response: null,
    },
  ]);
  const step = await getStep({ runId: _id, stepId: OPEN_STEP_BASE + 1 });
  expect(step).toEqual(steps[1]);
  answerCalls();
  await endOf({ _id });
  expect((await stepsOf(_id)).map(({ name, status }) => [name, status])).toEqual([
    ['first', 'SUCCESS'],
    ['held', 'SUCCESS'],
  ]);
  await expect(getStep({ runId: _id, stepId: OPEN_STEP_BASE + 1 })).rejects.toThrow('no step');
});

test('tasks around a call are open as well, and keep their ids while the calls change', async () => {
  const { _id } = await queueRun();
  const inner = (name: string): Task => ({ ...held, name, path: `/do/outer/do/${name}` });
  const outer: Task = {
    kind: 'do',
    name: 'outer',
    path: '/do/outer',
    tasks: [inner('one'), inner('two')],
  };
  await started(workerOf({ plan: planOf(outer), send }));
  const before = await untilOpen(_id, 2);
  expect(before.map(({ name, status }) => [name, status])).toEqual([
    ['outer', 'RUNNING'],
    ['one', 'RUNNING'],
  ]);
  answerCalls();
  const after = await waitFor('the second call', async () => {
    const steps = await stepsOf(_id);
    return steps.some(({ name }) => name === 'two') ? steps : null;
  });
  expect(after.map(({ name }) => name)).toEqual(['one', 'outer', 'two']);
  expect(after[1]?.id).toBe(before[0]?.id);
  expect(after[2]?.id).toBeGreaterThan(Number(before[1]?.id));
  const page = await listSteps({ runId: _id, limit: 2 });
  expect(page.items).toEqual(after.slice(0, 2));
  const rest = await listSteps({ runId: _id, limit: 2, after: page.after ?? '' });
  expect(rest).toEqual({ items: after.slice(2), after: null });
});

test('a waiting run shows what waits, and what waits within what', async () => {
  const { _id } = await queueRun();
  const rest: Task = { kind: 'wait', name: 'rest', path: '/do/outer/do/rest', durationMs: 60_000 };
  const outer: Task = { kind: 'do', name: 'outer', path: '/do/outer', tasks: [rest] };
  await started(workerOf({ plan: planOf(outer) }));
  const steps = await untilOpen(_id, 2);
  expect((await runOf(_id)).status).toBe('WAITING');
  expect(steps.map(({ name, status }) => [name, status])).toEqual([
    ['outer', 'RUNNING'],
    ['rest', 'WAITING'],
  ]);
});

test('a try that waits for its next attempt waits', async () => {
  const { _id } = await queueRun();
  const again: Task = {
    kind: 'try',
    name: 'again',
    path: '/do/again',
    tasks: [plainCall('ask', 'http://x.test/refused')],
    catch: { as: 'error', retry: { maxRetries: 1, delayMs: 60_000, backoff: 'constant' } },
  };
  const refuse: Send = () => Promise.reject(new Error('not a call of this test'));
  const outbound = {
    send: async ({ url }: { url: string }) => ({
      status: 503,
      headers: {},
      body: Buffer.alloc(0),
      truncated: false,
      url,
    }),
    close: async () => undefined,
  };
  await started(workerOf({ plan: planOf(again), send: refuse, outbound }));
  const steps = await untilOpen(_id, 1);
  expect(steps.map(({ name, status }) => [name, status])).toEqual([
    ['ask', 'FAILED'],
    ['again', 'WAITING'],
  ]);
});

test('a long input is cut, and many open steps share their bytes', async () => {
  const { _id } = await queueRun();
  const plan = planOf(setTo('large', 'x'.repeat(100_000)), held);
  await started(workerOf({ plan, send }));
  const [, step] = await untilOpen(_id, 1);
  expect(step).toMatchObject({ name: 'held', truncated: true });
  expect(String(step?.input)).toHaveLength(4_096);
});

test('open steps beyond 100 are counted', async () => {
  const { _id } = await queueRun();
  const branches = Array.from(
    { length: 120 },
    (_, n): Task => ({
      kind: 'wait',
      name: `rest${n}`,
      path: `/do/all/fork/branches/${n}/rest${n}`,
      durationMs: 60_000,
    }),
  );
  const all: Task = { kind: 'fork', name: 'all', path: '/do/all', branches, compete: false };
  await started(workerOf({ plan: planOf(all) }));
  await waitFor('the wait', async () => (await runOf(_id)).status === 'WAITING');
  const { items, omitted } = await listSteps({ runId: _id, limit: 1_000 });
  expect([items.length, omitted]).toEqual([100, 21]);
});

test('the open steps of a worker that has left are shown until the run goes on', async () => {
  const { _id } = await queueRun();
  const plan = planOf(plainCall('first', 'http://x.test/fine'), held);
  const aborted: Send = ({ url, signal }) =>
    url.includes('held') ? untilAborted(signal) : Promise.resolve(null);
  const leaving = workerOf({ plan, send: aborted });
  await leaving.start();
  const [, open] = await untilOpen(_id, 1);
  await leaving.stop();
  expect((await stepsOf(_id)).map(({ id }) => id)).toEqual([expect.any(Number), open?.id]);
  await started(workerOf({ plan }));
  await endOf({ _id });
  expect((await stepsOf(_id)).filter(isOpen)).toEqual([]);
  expect(await runOf(_id)).not.toHaveProperty('openSteps');
});

/** A `do` with two tasks that wait for a minute side by side. */
const waits = (): Task => {
  const rest = (name: string): Task => ({
    kind: 'do',
    name: `${name}-branch`,
    path: `/do/both/fork/branches/${name}`,
    tasks: [
      { kind: 'wait', name, path: `/do/both/fork/branches/${name}/do/${name}`, durationMs: 60_000 },
    ],
  });
  return {
    kind: 'fork',
    name: 'both',
    path: '/do/both',
    branches: [rest('left'), rest('right')],
    compete: false,
  };
};
const LEFT = '/do/both/fork/branches/left/do/left';

const waitingRun = async (): Promise<{ _id: number; open: StepSummary[] }> => {
  const { _id } = await queueRun();
  await started(workerOf({ plan: planOf(setTo('first', 'x'), waits()) }));
  await waitFor('the wait', async () => (await runOf(_id)).status === 'WAITING');
  return { _id, open: (await stepsOf(_id)).filter(isOpen) };
};

/** The steps of a run that ended at open steps, and its error. */
const atEnd = async (_id: number) => {
  const { error, completedAt } = await runOf(_id);
  const steps = await stepsOf(_id);
  const open = steps.filter(isOpen);
  expect(new Set(open.map((step) => step.completedAt))).toEqual(
    new Set([completedAt?.toISOString()]),
  );
  expect(open.map(({ status }) => status)).toEqual(open.map(() => 'FAILED'));
  expect(open.map((step) => step.error?.instance)).toEqual(open.map(({ path }) => path));
  expect(await getStep({ runId: _id, stepId: open[0]?.id ?? 0 })).toMatchObject({
    status: 'FAILED',
  });
  return { open, error: error && JSON.parse(error) };
};

test('a waiting run that is cancelled keeps its open steps as FAILED', async () => {
  const { _id, open } = await waitingRun();
  expect(open).toHaveLength(5);
  const listeners = { onEnded: () => undefined, onRequested: () => undefined };
  await cancelRun({ _id, workspaceId: 1 }, changeContext(), listeners);
  const { journalBytes, openSteps } = await runOf(_id);
  if (!openSteps) throw new Error('the open steps have gone');
  expect(journalBytes).toBeGreaterThan(openStepsBytes(openSteps)); // they count for the quota
  const ended = await atEnd(_id);
  expect(ended.open.map(({ id, name }) => [id, name])).toEqual(
    open.map(({ id, name }) => [id, name]),
  );
  expect(ended.open[0]?.error).toMatchObject({
    title: 'CANCELLED',
    detail: 'the run was cancelled',
  });
  expect(ended.error).toBeNull();
});

test('a run whose worker ignores its cancel keeps its open steps as FAILED', async () => {
  const { _id } = await waitingRun();
  const cancelRequestedAt = new Date(Date.now() - 60_000);
  await RunModel.updateOne(
    { _id },
    { $set: { worker: 'frozen', cancelRequestedAt }, $unset: { wakeAt: 1 } },
  );
  await endOf({ _id });
  expect((await atEnd(_id)).open).toHaveLength(5);
});

test('a run that nobody ends in time ends at the first of its innermost open steps', async () => {
  const { _id } = await waitingRun();
  const deadlineAt = new Date(Date.now() - 3_600_000);
  await RunModel.updateOne({ _id }, { $set: { deadlineAt } });
  await endOverdueRuns();
  const { open, error } = await atEnd(_id);
  expect(error).toMatchObject({ title: 'RUN_TIMEOUT', instance: LEFT });
  expect(open.map((step) => step.error?.title)).toEqual(open.map(() => 'RUN_TIMEOUT'));
});

test('a poisoned run ends at the first of its innermost open steps', async () => {
  const { _id } = await waitingRun();
  const { entries } = await runOf(_id);
  await RunModel.updateOne(
    { _id },
    { $set: { ready: true, losses: { entries, times: 5 } }, $unset: { wakeAt: 1 } },
  );
  await endOf({ _id });
  const { open, error } = await atEnd(_id);
  expect(error).toMatchObject({ title: 'POISONED_RUN', instance: LEFT });
  expect(open[0]?.error).toMatchObject({ title: 'POISONED_RUN' });
});

test('a worker that ends a run at its deadline records its steps, and the task at which it ended', async () => {
  const { _id } = await queueRun({ timeoutMs: 300 });
  await started(workerOf({ plan: planOf(waits()) }));
  await endOf({ _id });
  const { status, error, ...run } = await runOf(_id);
  expect([status, JSON.parse(error ?? '{}')]).toMatchObject([
    'TIMED_OUT',
    { title: 'RUN_TIMEOUT', instance: LEFT },
  ]);
  expect(run).not.toHaveProperty('openSteps');
  const steps = await stepsOf(_id);
  expect(steps.map((step) => [step.status, step.error?.instance])).toEqual(
    steps.map(({ path }) => ['FAILED', path]),
  );
});

test('a retry of a run that ended at open steps goes on at them', async () => {
  const sent: string[] = [];
  const careful: Task = {
    kind: 'try',
    name: 'careful',
    path: '/do/careful',
    tasks: [{ ...plainCall('ask', 'http://x.test/refused'), path: '/do/careful/try/0/ask' }],
    catch: {
      as: 'error',
      tasks: [
        { kind: 'wait', name: 'rest', path: '/do/careful/catch/do/0/rest', durationMs: 60_000 },
      ],
    },
  };
  const refuse: Send = ({ url }) => {
    sent.push(url);
    return Promise.resolve(null);
  };
  const outbound = { ...clientOf(refuse) };
  outbound.send = async (request) => ({ ...(await clientOf(refuse).send(request)), status: 503 });
  const { _id } = await queueRun();
  await started(workerOf({ plan: planOf(careful), outbound }));
  const waiting = async (id: number) => (await runOf(id)).status === 'WAITING';
  await waitFor('the wait', () => waiting(_id));
  const { entries } = await runOf(_id);
  await RunModel.updateOne(
    { _id },
    { $set: { ready: true, losses: { entries, times: 5 } }, $unset: { wakeAt: 1 } },
  );
  await endOf({ _id });
  const retry = await queueRun({ retryOf: _id, copiesJournal: true });
  await waitFor('the wait of the retry', () => waiting(retry._id));
  expect(sent).toHaveLength(1);
  expect((await stepsOf(retry._id)).map(({ name, status }) => [name, status])).toEqual([
    ['ask', 'FAILED'],
    ['careful', 'RUNNING'],
    ['rest', 'WAITING'],
  ]);
});
