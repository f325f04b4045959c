import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Evaluator, Plan, Task } from '@workspace-automation/flow-language';
import { waitFor } from '../../helpers/wait.ts';
import { plainCall, sendJson, useCalledServer } from './described-calls.ts';
import { endOf, errorOf, onRunsDatabase, planOf, queueRun, runOf, workerOf } from './engine.ts';

/** A value that is read in its turn. */
const LARGE = 'x'.repeat(40_000);

const { started } = onRunsDatabase();
const server = useCalledServer();

/** The answers that wait for `answerAll`, by the path of their request. */
let held: { path: string; response: ServerResponse }[] = [];
/** The largest number of requests to `/held` that were open at once. */
let mostHeld = 0;
beforeEach(() => {
  held = [];
  mostHeld = 0;
  server.answer = ({ url: path }, response) => {
    if (!path.startsWith('/held')) return sendJson(response, LARGE);
    held.push({ path, response });
    mostHeld = Math.max(mostHeld, held.length);
    response.on('close', () => {
      held = held.filter((each) => each.response !== response);
    });
  };
});

const call = (at: number, path: string, fields: Partial<Task> = {}): Task =>
  ({
    ...plainCall(`call${at}`, `${server.url}${path}`),
    path: `/do/0/fork/${at}`,
    ...fields,
  }) as Task;

/** A plan of calls side by side. */
const forkOf = (branches: readonly Task[]): Plan =>
  planOf({ kind: 'fork', name: 'fork', path: '/do/0/fork', branches, compete: false });

const heldCalls = (count: number): Task[] =>
  Array.from({ length: count }, (_, at) => call(at, '/held'));

const inputOf = ({ input }: Parameters<Evaluator['evaluate']>[0]) => Promise.resolve(input);
const evaluator: Evaluator = { evaluate: inputOf, test: async () => true };

const start = (plan: Plan) =>
  started(workerOf({ plan, evaluator, outbound: server.client, concurrency: 16 }));

/** The requests of one run: requests of an earlier test may still arrive. */
const callsOfRun = (id: number) =>
  server.seen.filter(({ headers }) =>
    String(headers['idempotency-key']).startsWith(`installation/${id}/`),
  );

const answerAll = () => {
  for (const { response } of held.splice(0)) sendJson(response, {});
};

test('a run has 64 calls under way at most, and each of its calls is made', async () => {
  await start(forkOf(heldCalls(100)));
  const { _id } = await queueRun();
  await waitFor('64 calls', () => held.length === 64);
  await waitFor('the end', async () => {
    answerAll();
    return (await runOf(_id)).status === 'SUCCESS';
  });
  expect(server.seen).toHaveLength(100);
  expect(mostHeld).toBeLessThanOrEqual(64);
});

test('one owner has three quarters of the calls of a process at most, and the calls of another owner go on', async () => {
  const worker = await start(forkOf(heldCalls(64)));
  for (let workspaceId = 1; workspaceId <= 5; workspaceId++) {
    await queueRun({ workspaceId, shareOwner: 'person:1' });
  }
  worker.wake();
  await waitFor('the calls of the owner', () => held.length > 170);
  await setTimeout(100); // more calls would come meanwhile
  expect(held.length).toBeLessThanOrEqual(192);
  const other = await queueRun({ workspaceId: 9, shareOwner: 'person:9' });
  worker.wake();
  await waitFor('the calls of the other owner', () => held.length > 192);
  expect(server.seen.length).toBeLessThanOrEqual(256);
  expect((await runOf(other._id)).status).toBe('RUNNING');
});

test('a call that waits for its turn ends by the timeout of its task, and is not sent', async () => {
  const late = call(64, '/late', { timeoutMs: 100 });
  await start(forkOf([...heldCalls(64), late]));
  const { _id } = await queueRun();
  const ended = await endOf({ _id }, 'FAILED');
  expect(errorOf(ended)).toMatchObject({ title: 'TASK_TIMEOUT', instance: late.path });
  expect(server.seen.map(({ url }) => url)).not.toContain('/late');
});

test('a cancel ends a run whose calls wait for their turn, and none of them is sent', async () => {
  const worker = await start(forkOf(heldCalls(100)));
  const { _id } = await queueRun();
  await waitFor('64 calls', () => callsOfRun(_id).length === 64);
  worker.cancel(_id);
  await endOf({ _id }, 'CANCELLED');
  await waitFor('the end of the calls', () => held.length === 0);
  expect(callsOfRun(_id)).toHaveLength(64);
});

test('a run goes on with large results of an earlier worker, and makes none of their calls again', async () => {
  const large = Array.from({ length: 12 }, (_, at) => call(at, `/large/${at}`));
  const plan = forkOf([...large, call(12, '/held')]);
  const first = workerOf({ plan, evaluator, outbound: server.client });
  await first.start();
  const { _id } = await queueRun();
  await waitFor('the calls', () => server.seen.length === 13);
  await first.stop();
  await start(plan);
  await waitFor('the call again', () => held.length === 1 && server.seen.length === 14);
  answerAll();
  await endOf({ _id }, 'SUCCESS');
  expect(server.seen.map(({ url }) => url).filter((url) => url !== '/held')).toHaveLength(12);
});
