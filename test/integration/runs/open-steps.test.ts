import type { Task } from '@workspace-automation/flow-language';
import { OPEN_STEP_BASE } from '../../../models/open-step.ts';
import type { StepSummary } from '../../../services/runs/contract/resources.ts';
import { getStep, listSteps } from '../../../services/runs/steps.ts';
import { waitFor } from '../../helpers/wait.ts';
import { plainCall, planOf } from './described-calls.ts';
import { onRunsDatabase, queueRun, runOf, type Send, workerOf } from './engine.ts';

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

const ended = (runId: number) => waitFor('the end', async () => !(await runOf(runId)).live, 20_000);

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
  await ended(_id);
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

test('the open steps of a worker that has left are shown until the run goes on', async () => {
  const { _id } = await queueRun();
  const plan = planOf(plainCall('first', 'http://x.test/fine'), held);
  const aborted: Send = ({ url, signal }) =>
    url.includes('held')
      ? new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        })
      : Promise.resolve(null);
  const leaving = workerOf({ plan, send: aborted });
  await leaving.start();
  const [, open] = await untilOpen(_id, 1);
  await leaving.stop();
  expect((await stepsOf(_id)).map(({ id }) => id)).toEqual([expect.any(Number), open?.id]);
  await started(workerOf({ plan }));
  await ended(_id);
  expect((await stepsOf(_id)).filter(isOpen)).toEqual([]);
  expect(await runOf(_id)).not.toHaveProperty('openSteps');
});
