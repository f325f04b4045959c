import { setTimeout as sleep } from 'node:timers/promises';
import { e2e } from '../../fixtures/e2e.ts';
import {
  callKey,
  endOf,
  getRun,
  type RunAnswer,
  runTask,
  type StepAnswer,
  startRun,
  stepsOf,
} from '../../helpers/runs.ts';
import { waitFor } from '../../helpers/wait.ts';
import { editStep, execute, executeDraft, publishSteps } from '../../helpers/workflows.ts';

const { server, owner, workspace, api } = e2e({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });

/** Milliseconds for which the service stands still: longer than a lease. */
const FROZEN_MS = 6_000;

/** Ways in which the service goes away and comes back. */
const ENDS = {
  'kill -9': () => server.crash(),
  async SIGTERM() {
    expect(await server.stop()).toBe(0);
    calledBeforeStop = api.calls.map(({ path }) => path);
    await server.restart();
  },
  async SIGSTOP() {
    server.signal('SIGSTOP');
    await sleep(FROZEN_MS);
    server.signal('SIGCONT');
  },
};

/** The paths that were called before the process ended by SIGTERM. */
let calledBeforeStop: string[] = [];

/** Brings the service to the moment of its end. Resolves with the checks of what must hold when it is back. */
type Moment = () => Promise<() => Promise<void>>;

const callOf = (name: string, path: string) => ({ [name]: api.task(path) });
const flowOf = (...tasks: object[]): Promise<number> =>
  workspace.flow(JSON.stringify({ do: tasks }));
const start = async (...tasks: object[]): Promise<number> =>
  (await startRun(owner, await flowOf(...tasks))).body.id;
const runsOf = async (flowId: number): Promise<RunAnswer[]> =>
  (await owner.call<RunAnswer[]>('GET', `/flows/${flowId}/runs`)).body;
const namesOf = (steps: readonly StepAnswer[]) => steps.map(({ name }) => name);
/** Waits until the path was called so often. Calls of `/hold…` are answered by `api.letGo()`. */
const untilCalled = (path: string, times = 1) =>
  waitFor(`call ${times} of ${path}`, () => api.keysOf(path).length === times);
const inStatus = (status: string, id: number) =>
  waitFor(status, async () => (await getRun(owner, id)).status === status);
const expectCalledOnce = (...paths: string[]) =>
  expect(paths.map((path) => api.keysOf(path).length)).toEqual(paths.map(() => 1));
/** Lets the call that was under way be made again, and end. */
async function heldAgain(path: string): Promise<void> {
  await untilCalled(path, 2);
  api.letGo();
}
const expectCancelled = async (ids: readonly number[]) => {
  for (const id of ids) expect((await endOf(owner, id)).status).toBe('CANCELLED');
};

const MOMENTS: Record<string, [keyof typeof ENDS, Moment]> = {
  'a run that waits between two calls repeats neither': [
    'kill -9',
    async () => {
      const rest = { rest: { wait: { seconds: 2 } } };
      const id = await start(callOf('before', '/ok/w1'), rest, callOf('after', '/ok/w2'));
      await inStatus('WAITING', id);
      return async () => {
        const output = { path: '/ok/w2', n: 1 };
        expect(await endOf(owner, id)).toMatchObject({ status: 'SUCCESS', output });
        expectCalledOnce('/ok/w1', '/ok/w2');
        expect(namesOf(await stepsOf(owner, id))).toEqual(['before', 'rest', 'after']);
      };
    },
  ],
  'a call under way is made again, alone and under the same key': [
    'kill -9',
    async () => {
      const calls = [callOf('before', '/ok/c1'), callOf('held', '/hold/c2')];
      const id = await start({ one: { set: { a: 1 } } }, ...calls, callOf('after', '/ok/c3'));
      await untilCalled('/hold/c2');
      return async () => {
        await heldAgain('/hold/c2');
        expect((await endOf(owner, id)).status).toBe('SUCCESS');
        expectCalledOnce('/ok/c1', '/ok/c3');
        expect(new Set(api.keysOf('/hold/c2')).size).toBe(1);
        const names = namesOf(await stepsOf(owner, id));
        expect(names).toEqual(['one', 'before', 'held', 'after']);
      };
    },
  ],
  'an execution goes on with its steps, although others were published': [
    'kill -9',
    async () => {
      const held = { key: 'held', definition: api.task('/hold/steps') };
      const setting = (v: string) => ({ key: 'last', definition: { set: { v } } });
      const workflowId = await workspace.workflow([held, setting('old')]);
      const { id } = (await execute(owner, workflowId)).body;
      await untilCalled('/hold/steps');
      const other = { key: 'other', definition: api.task('/ok/other') };
      await publishSteps(owner, workflowId, [other, setting('new')]);
      return async () => {
        await heldAgain('/hold/steps');
        const ended = { status: 'SUCCESS', revision: 1, output: { v: 'old' } };
        expect(await endOf(owner, id)).toMatchObject(ended);
        expect(api.keysOf('/ok/other')).toEqual([]);
        expect([...new Set(api.keysOf('/hold/steps'))]).toEqual([callKey(id, '/do/0/held//1')]);
        expect(namesOf(await stepsOf(owner, id))).toEqual(['held', 'last']);
      };
    },
  ],
  'the run of a draft goes on, although its branch was discarded': [
    'kill -9',
    async () => {
      const held = { key: 'held', definition: api.task('/hold/draft') };
      const workflowId = await workspace.workflow([held]);
      const branch = { workspaceId: workspace.id, workflowId };
      const last = { key: 'last', definition: { set: { v: 'draft' } } };
      const revision = await editStep(owner, branch, last);
      const { id } = (await executeDraft(owner, branch)).body;
      await untilCalled('/hold/draft');
      const query = { workspaceId: workspace.id };
      const path = `/dev-mode/branches/${workflowId}`;
      expect((await owner.call('DELETE', path, { query })).status).toBeLessThan(300);
      return async () => {
        await heldAgain('/hold/draft');
        const ended = { status: 'SUCCESS', draft: true, revision, output: { v: 'draft' } };
        expect(await endOf(owner, id)).toMatchObject(ended);
      };
    },
  ],
  'the runs of a flow whose deletion was answered are cancelled': [
    'kill -9',
    async () => {
      const flowId = await flowOf({ rest: { wait: { days: 20 } } });
      const { id } = (await startRun(owner, flowId)).body;
      const query = { cancel: 'true' };
      expect((await owner.call('DELETE', `/flows/${flowId}`, { query })).status).toBe(204);
      return async () => {
        expect((await owner.call('GET', `/flows/${flowId}`)).status).toBe(404);
        await expectCancelled([id]);
      };
    },
  ],
  'the executions of a workflow whose deletion was answered are cancelled': [
    'kill -9',
    async () => {
      const rest = { key: 'rest', definition: { wait: { days: 20 } } };
      const workflowId = await workspace.workflow([rest]);
      const ids: number[] = [];
      for (let n = 0; n < 5; n++) ids.push((await execute(owner, workflowId)).body.id);
      const query = { cancel: 'true' };
      expect((await owner.call('DELETE', `/workflow/${workflowId}`, { query })).status).toBe(200);
      return async () => {
        await expectCancelled(ids);
        expect(await getRun(owner, ids[0] ?? 0)).toMatchObject({ workflowId, revision: 1 });
      };
    },
  ],
  'a cancel that was answered ends the child runs at every depth': [
    'kill -9',
    async () => {
      const leaf = await flowOf({ rest: { wait: { minutes: 10 } } });
      const middle = await flowOf({ leaf: runTask(leaf, { input: {} }) });
      const each = { each: 'n', in: `\${ [1..5] }` };
      const children = [{ middle: runTask(middle, { input: {} }) }];
      const id = await start({ wide: { for: each, metadata: { parallel: 5 }, do: children } });
      await waitFor('five waiting leaves', async () => {
        const runs = await runsOf(leaf);
        return runs.length === 5 && runs.every(({ status }) => status === 'WAITING');
      });
      expect((await owner.call('POST', `/flows/runs/${id}/cancel`)).status).toBe(202);
      return async () => {
        const descendants = [...(await runsOf(middle)), ...(await runsOf(leaf))];
        await expectCancelled([id, ...descendants.map((run) => run.id)]);
      };
    },
  ],
  'who waits is answered 202, and the next process has the run': [
    'SIGTERM',
    async () => {
      const flowId = await flowOf(callOf('before', '/ok/s1'), callOf('held', '/hold/s2'));
      const waiting = startRun(owner, flowId, { wait: 25_000 });
      await untilCalled('/hold/s2');
      return async () => {
        const { status, body } = await waiting;
        expect([status, body.status]).toEqual([202, 'RUNNING']);
        await heldAgain('/hold/s2');
        expect((await endOf(owner, body.id)).status).toBe('SUCCESS');
        expectCalledOnce('/ok/s1');
      };
    },
  ],
  'a short call ends and is journalled: it is not made again': [
    'SIGTERM',
    async () => {
      const id = await start(callOf('slow', '/slow/1500'), callOf('next', '/ok/s3'));
      await untilCalled('/slow/1500');
      return async () => {
        expect((await endOf(owner, id)).status).toBe('SUCCESS');
        expectCalledOnce('/slow/1500', '/ok/s3');
        expect(calledBeforeStop).not.toContain('/ok/s3');
      };
    },
  ],
  'a process that stood still goes on with what is still its own': [
    'SIGSTOP',
    async () => {
      const calls = [callOf('before', '/ok/z1'), callOf('held', '/hold/z2')];
      const id = await start(...calls, callOf('after', '/ok/z3'));
      await untilCalled('/hold/z2');
      return async () => {
        await waitFor('a further call', () => {
          api.letGo();
          return api.keysOf('/ok/z3').length > 0;
        });
        expect((await endOf(owner, id)).status).toBe('SUCCESS');
        expectCalledOnce('/ok/z1', '/ok/z3');
      };
    },
  ],
};

const scenarios = Object.entries(MOMENTS).map(([name, scenario]) => [name, ...scenario] as const);

test.each(scenarios)('%s: %s', async (_name, end, moment) => {
  const check = await moment();
  await ENDS[end]();
  await check();
});
