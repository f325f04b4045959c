import { setTimeout as sleep } from 'node:timers/promises';
import { type ProblemBody, request } from '../helpers/http.ts';
import { createWorkspace, type Person, register } from '../helpers/people.ts';
import type { ServiceProcess } from '../helpers/process.ts';
import { countWaiting, createFlow, startRun } from '../helpers/runs.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { CORE, type Ground, groundOf, startPart, untilReady } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

const PUBLIC_URL = 'http://service.test'; // so that a token outlives the gateway
const RESTS = 'do:\n  - rest: { wait: { minutes: 10 } }\n';

let ground: Ground;
let core: ServiceProcess;
let runs: ServiceProcess;
let gateway: ServiceProcess;
let owner: Person;
let flowId: number;
let issues: string;

beforeAll(async () => {
  ground = await groundOf(dataFolder());
  core = startPart(ground, CORE, { PUBLIC_URL });
  runs = startPart(ground, 'flows,runs', { PUBLIC_URL });
  owner = await register(await startGateway());
  const workspaceId = await createWorkspace(owner);
  issues = `/workspaces/${workspaceId}/issues`;
  flowId = await createFlow(owner, workspaceId, RESTS);
});
afterAll(stopServers);

async function startGateway(): Promise<string> {
  gateway = startPart(ground, 'api', { PUBLIC_URL });
  const url = (await gateway.ready) ?? '';
  await untilReady(url);
  return url;
}

/** A client that waits for a run which will not end, and has been heard. */
async function whoWaits(): Promise<{ answer: ReturnType<typeof startRun> }> {
  const before = await countWaiting(owner, flowId);
  const answer = startRun(owner, flowId, { wait: 30_000 });
  answer.catch(() => undefined); // the test that waits for it hears of it
  await waitFor('the run', async () => (await countWaiting(owner, flowId)) > before);
  return { answer };
}

/** The same system all along. */
describe('SIGTERM of one process of several', () => {
  it('is no harm to who waits for a run when it is the gateway that leaves', async () => {
    const { answer } = await whoWaits();
    gateway.signal('SIGTERM');
    const { status, body } = await answer;
    expect([status, body.status]).toEqual([202, 'WAITING']);
    expect(await gateway.exited).toBe(0);
  });

  it('is no harm to who waits for a run when it is the worker that leaves', async () => {
    owner = { ...owner, call: callAt(await startGateway()) };
    const { answer } = await whoWaits();
    runs.signal('SIGTERM');
    const { status, body } = await answer;
    expect([status, body.status]).toEqual([202, 'WAITING']);
    expect(await runs.exited).toBe(0);
  });

  it('leaves no caller without an answer, however long the work takes', async () => {
    await owner.call('GET', issues);
    ground.database.process.kill('SIGSTOP');
    const body = { title: 'x', description: '' };
    const answer = owner.call<ProblemBody>('POST', issues, { body });
    await sleep(500); // so that it has arrived
    core.signal('SIGTERM');
    const first = await Promise.race([answer, core.exited]);
    expect(first).toMatchObject({ status: expect.any(Number) });
    expect([503, 504]).toContain((await answer).status);
    expect(await core.exited).toBe(0);
    ground.database.process.kill('SIGCONT');
  });
});

const callAt =
  (url: string): Person['call'] =>
  (method, path, options = {}) =>
    request(url, method, path, { token: owner.token, ...options });
