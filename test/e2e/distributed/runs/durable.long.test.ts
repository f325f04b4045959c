import { setTimeout as sleep } from 'node:timers/promises';
import { createWorkspace, type Person, registerVerified } from '../../../helpers/people.ts';
import {
  createFlow,
  endOf,
  getRun,
  LocalApi,
  type RunAnswer,
  startRun,
  stepsOf,
} from '../../../helpers/runs.ts';
import { startServer, stopServers, type TestServer } from '../../../helpers/server.ts';
import { waitFor } from '../../../helpers/wait.ts';

let server: TestServer;
let api: LocalApi;
let ada: Person;
let workspaceId: number;
/** Tokens stay good when the process comes back on the port that it happened to have. */
const env = { OUTBOUND_ALLOW: '127.0.0.0/8', PUBLIC_URL: 'http://service.test' };

beforeAll(async () => {
  api = await LocalApi.start();
  server = await startServer({ env });
  ada = await registerVerified(server.url);
  workspaceId = await createWorkspace(ada);
});
afterAll(async () => {
  api.stop();
  await stopServers();
});

/** The same person at the process that came back. */
async function restarted(): Promise<void> {
  await server.restart();
}
const call = (name: string, path: string) =>
  `  - ${name}: { call: http, with: { method: post, endpoint: '${api.url}${path}' } }\n`;
const once = (path: string) => expect([path, api.keysOf(path).length]).toEqual([path, 1]);
const inStatus = (runId: number, status: string) =>
  waitFor(`run ${runId} in ${status}`, async () => (await getRun(ada, runId)).status === status);
const held = (path: string) => waitFor(`a call of ${path}`, () => api.keysOf(path).length > 0);

describe('kill -9', () => {
  test('while a run waits between two calls: neither is repeated', async () => {
    const content = `do:\n${call('before', '/ok/w1')}  - rest: { wait: { seconds: 2 } }\n${call('after', '/ok/w2')}`;
    const { body } = await startRun(ada, await createFlow(ada, workspaceId, content));
    await inStatus(body.id, 'WAITING');
    await server.kill();
    await restarted();
    const run = await endOf(ada, body.id);
    expect([run.status, run.output]).toEqual(['SUCCESS', { path: '/ok/w2', n: 1 }]);
    once('/ok/w1');
    once('/ok/w2');
    expect((await stepsOf(ada, run.id)).map(({ name }) => name)).toEqual([
      'before',
      'rest',
      'after',
    ]);
  });

  test('while a call is under way: that call alone is made again, under the same key', async () => {
    const content = `do:\n  - one: { set: { a: 1 } }\n${call('before', '/ok/c1')}${call('held', '/hold/c2')}${call('after', '/ok/c3')}`;
    const { body } = await startRun(ada, await createFlow(ada, workspaceId, content));
    await held('/hold/c2');
    await server.kill();
    await restarted();
    await waitFor('the call again', () => api.keysOf('/hold/c2').length === 2);
    api.letGo();
    const run = await endOf(ada, body.id);
    expect(run.status).toBe('SUCCESS');
    once('/ok/c1');
    once('/ok/c3');
    expect(new Set(api.keysOf('/hold/c2')).size).toBe(1);
    const names = (await stepsOf(ada, run.id)).map(({ name }) => name);
    expect(names).toEqual(['one', 'before', 'held', 'after']);
  });

  test('while runs are queued: each of them runs, once', async () => {
    const flowId = await createFlow(ada, workspaceId, `do:\n${call('hit', '/ok/queued')}`);
    const blocked = await createFlow(ada, workspaceId, `do:\n${call('hit', '/hold/queued')}`);
    await server.stop();
    await server.restart({ RUN_CONCURRENCY: '1' });
    const blocker = await startRun(ada, blocked);
    await held('/hold/queued');
    const ids: number[] = [];
    for (let n = 0; n < 10; n++) ids.push((await startRun(ada, flowId)).body.id);
    await server.kill();
    await restarted();
    await waitFor('the call again', () => api.keysOf('/hold/queued').length === 2);
    api.letGo();
    for (const id of [blocker.body.id, ...ids]) {
      expect((await endOf(ada, id)).status).toBe('SUCCESS');
    }
    // One that was under way when the process was killed is called again, with its key.
    expect(api.keysOf('/ok/queued').length).toBeLessThanOrEqual(11);
    expect(new Set(api.keysOf('/ok/queued')).size).toBe(10);
  });
});

describe('cancelling', () => {
  const cancel = (id: number) => ada.call<RunAnswer>('POST', `/flows/runs/${id}/cancel`);

  test('a waiting run ends it at once', async () => {
    const flowId = await createFlow(ada, workspaceId, 'do:\n  - rest: { wait: { days: 20 } }\n');
    const { body } = await startRun(ada, flowId);
    await inStatus(body.id, 'WAITING');
    const answer = await cancel(body.id);
    expect([answer.status, answer.body.status]).toEqual([202, 'CANCELLED']);
    expect((await cancel(body.id)).status).toBe(409);
  });

  test('a run with a call under way aborts it, and nothing catches that', async () => {
    const flowId = await createFlow(
      ada,
      workspaceId,
      `do:
  - tried:
      try: [ { hit: { call: http, with: { method: get, endpoint: '${api.url}/hold/cancel' } } } ]
      catch: { do: [ { caught: { set: { caught: true } } } ] }
`,
    );
    const { body } = await startRun(ada, flowId);
    await held('/hold/cancel');
    expect((await cancel(body.id)).status).toBe(202);
    const run = await endOf(ada, body.id); // the call is never answered
    expect([run.status, run.output, run.error]).toEqual(['CANCELLED', null, null]);
  });

  test('a run that computes ends it as well', async () => {
    const flowId = await createFlow(
      ada,
      workspaceId,
      `do:
  - round: { for: { in: '\${ [1..9000] }' }, do: [ { sum: { set: { s: '\${ $sum([1..2000]) }' } } } ] }
`,
    );
    const { body } = await startRun(ada, flowId);
    await inStatus(body.id, 'RUNNING');
    await cancel(body.id);
    expect((await endOf(ada, body.id)).status).toBe('CANCELLED');
  });
});

describe('SIGTERM', () => {
  test('answers who waits with 202, and hands the run to the next process', async () => {
    const content = `do:\n${call('before', '/ok/s1')}${call('held', '/hold/s2')}`;
    const flowId = await createFlow(ada, workspaceId, content);
    const waiting = startRun(ada, flowId, { wait: 25_000 });
    await held('/hold/s2');
    const stopped = server.stop();
    const { status, body } = await waiting;
    expect([status, body.status]).toEqual([202, 'RUNNING']);
    expect(await stopped).toBe(0);
    await restarted();
    await waitFor('the call again', () => api.keysOf('/hold/s2').length === 2);
    api.letGo();
    expect((await endOf(ada, body.id)).status).toBe('SUCCESS');
    once('/ok/s1');
  });

  test('lets a short call end and journals it: it is not made again', async () => {
    const content = `do:\n${call('slow', '/slow/1500')}${call('next', '/ok/s3')}`;
    const { body } = await startRun(ada, await createFlow(ada, workspaceId, content));
    await held('/slow/1500');
    expect(await server.stop()).toBe(0);
    expect(api.keysOf('/ok/s3')).toEqual([]);
    await restarted();
    expect((await endOf(ada, body.id)).status).toBe('SUCCESS');
    once('/slow/1500');
    once('/ok/s3');
  });
});

test('a process that was stopped for a while goes on with what is still its own', async () => {
  const content = `do:\n${call('before', '/ok/z1')}${call('held', '/hold/z2')}${call('after', '/ok/z3')}`;
  const { body } = await startRun(ada, await createFlow(ada, workspaceId, content));
  await held('/hold/z2');
  server.signal('SIGSTOP');
  await sleep(6_000);
  server.signal('SIGCONT');
  await waitFor('a further call', () => {
    api.letGo();
    return api.keysOf('/ok/z3').length > 0;
  });
  expect((await endOf(ada, body.id)).status).toBe('SUCCESS');
  once('/ok/z1');
  once('/ok/z3');
});
