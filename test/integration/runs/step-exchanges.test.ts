import type { Task } from '@workspace-automation/flow-language';
import type { RunDocument } from '../../../models/run.model.ts';
import type { StepSummary } from '../../../services/runs/contract/resources.ts';
import { listSteps } from '../../../services/runs/steps.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  bearerCall,
  CANARY,
  describedCall,
  onDescribedRuns,
  plainCall,
  sendJson,
} from './described-calls.ts';
import { endOf, newRun, queueRun, storeRun } from './engine.ts';

const runs = onDescribedRuns();
const { server, startWorker } = runs;

/** Runs tasks to their end and returns the steps as they are listed. */
const stepsOf = async (tasks: readonly Task[]): Promise<StepSummary[]> =>
  stepsAtEnd(await runs.runTasks(tasks));

async function stepsAtEnd(run: RunDocument): Promise<StepSummary[]> {
  const { _id: runId } = await endOf(run);
  return (await listSteps({ runId, limit: 100 })).items;
}

test('a call has its request and its response, without their values', async () => {
  server.answer = (_, response) => {
    response.setHeader('set-cookie', CANARY);
    sendJson(response, { a: 1 });
  };
  const [step] = await stepsOf([plainCall('ask', `${server.url}/orders?key=${CANARY}&page=2`)]);
  expect(step).toMatchObject({
    status: 'SUCCESS',
    request: {
      method: 'GET',
      url: `${server.url}/orders?key=***&page=***`,
      headerNames: ['idempotency-key', 'traceparent'],
      bytes: 0,
    },
    response: {
      status: 200,
      headerNames: expect.arrayContaining(['content-type', 'set-cookie']),
      bytes: 7,
    },
  });
  expect(JSON.stringify([step?.request, step?.response])).not.toContain(CANARY);
});

test('a described call has the address of the description with the secret of its credential masked', async () => {
  runs.connections.prepare = () => ({
    ...bearerCall(`${server.url}/v1/${CANARY}/orders?api_key=${CANARY}`, CANARY),
    secretHeaders: { 'x-shop-key': CANARY },
  });
  const [step] = await stepsOf([describedCall('ask', { headers: { Accept: 'x/y' } })]);
  expect(server.seen).toMatchObject([{ url: `/v1/${CANARY}/orders?api_key=${CANARY}` }]);
  expect(step?.request).toEqual({
    method: 'POST',
    url: `${server.url}/v1/***/orders?api_key=***`,
    headerNames: expect.arrayContaining(['accept', 'idempotency-key', 'x-shop-key']),
    bytes: Buffer.byteLength('{"order":1}'),
  });
  expect(step?.response).toMatchObject({ status: 200, bytes: 2 });
  expect(JSON.stringify(step)).not.toContain(CANARY);
});

test('a call with a refused token shows the request that was repeated, and its answer', async () => {
  runs.connections.prepare = ({ refusedToken }) => ({
    ...bearerCall(`${server.url}/${refusedToken ? 'second' : 'first'}`, CANARY),
    tokenId: refusedToken ? 'token 2' : 'token 1',
  });
  server.answer = ({ url }, response) => sendJson(response, {}, url === '/first' ? 401 : 200);
  const [step] = await stepsOf([describedCall('ask')]);
  expect(step).toMatchObject({
    request: { url: `${server.url}/second` },
    response: { status: 200 },
  });
});

test('a refused connection leaves the request, and no response', async () => {
  const [step] = await stepsOf([plainCall('ask', 'http://127.0.0.1:1/none')]);
  expect(step).toMatchObject({
    status: 'FAILED',
    error: { title: 'CONNECTION_FAILED' },
    request: { method: 'GET', url: 'http://127.0.0.1:1/none' },
    response: null,
  });
});

test('each attempt of a call is a step with its own response; other tasks have neither', async () => {
  let answers = 0;
  server.answer = (_, response) => sendJson(response, {}, answers++ === 0 ? 503 : 200);
  const retry = { maxRetries: 2, delayMs: 0, backoff: 'constant' as const };
  const steps = await stepsOf([
    {
      kind: 'try',
      name: 'again',
      path: '/do/again',
      tasks: [plainCall('ask', server.url)],
      catch: { as: 'error', retry },
    },
  ]);
  const shown = steps.map(({ name, attempt, request, response }) => [
    name,
    attempt,
    request?.url ?? null,
    response?.status ?? null,
  ]);
  expect(shown).toEqual([
    ['ask', 1, `${server.url}/`, 503],
    ['ask', 2, `${server.url}/`, 200],
    ['again', 1, null, null],
  ]);
});

test('a cancelled call has its request', async () => {
  server.answer = () => undefined; // for ever
  const run = newRun();
  const worker = await startWorker([plainCall('ask', server.url)]);
  await worker.store(run, storeRun);
  await waitFor('the call', () => server.seen.length === 1);
  worker.cancel(run._id);
  expect(await stepsAtEnd(run)).toMatchObject([
    { status: 'FAILED', request: { url: `${server.url}/` }, response: null },
  ]);
});

test('a resumed run shows what the worker before it has sent', async () => {
  const request = { method: 'GET', url: 'https://sent.test/', headerNames: ['a'], bytes: 3 };
  const response = { status: 201, headerNames: ['b'], bytes: 4 };
  const effect = { kind: 'succeeded' as const, json: '1', completedAt: 5, request, response };
  const run = await queueRun({ journal: [{ n: 1, key: '/do/ask//1/1', effect }], entries: 1 });
  await startWorker([plainCall('ask', server.url)]);
  expect(await stepsAtEnd(run)).toMatchObject([{ status: 'SUCCESS', request, response }]);
  expect(server.seen).toEqual([]);
});
