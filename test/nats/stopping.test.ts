import { setTimeout as sleep } from 'node:timers/promises';
import { e2e } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { countWaiting, startRun } from '../helpers/runs.ts';
import { CORE } from '../helpers/spread.ts';
import { KINDS, WORKER } from '../helpers/system.ts';
import { waitFor } from '../helpers/wait.ts';

/** Tokens outlive the gateway. */
const PUBLIC_URL = 'http://service.test';
const RESTS = 'do:\n  - rest: { wait: { minutes: 10 } }\n';

const { server: system, owner, workspace } = e2e({ processes: KINDS, env: { PUBLIC_URL } });
let flowId: number;

beforeAll(async () => {
  flowId = await workspace.flow(RESTS);
});

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
  it.each([
    ['the gateway', 'api'],
    ['the worker', WORKER],
  ])('is no harm to who waits for a run when it is %s that leaves', async (_, kind) => {
    const { answer } = await whoWaits();
    const exited = system.remove(kind, 'SIGTERM');
    const { status, body } = await answer;
    expect([status, body.status]).toEqual([202, 'WAITING']);
    expect(await exited).toBe(0);
    await system.add(kind);
  });

  it('leaves no caller without an answer, however long the work takes', async () => {
    await owner.call('GET', workspace.issues);
    const database = system.ground.database.process;
    database.kill('SIGSTOP');
    const body = { title: 'x', description: '' };
    const answer = owner.call<ProblemBody>('POST', workspace.issues, { body });
    await sleep(500); // so that it has arrived
    const exited = system.remove(CORE, 'SIGTERM');
    const first = await Promise.race([answer, exited]);
    expect(first).toMatchObject({ status: expect.any(Number) });
    expect([503, 504]).toContain((await answer).status);
    expect(await exited).toBe(0);
    database.kill('SIGCONT');
  });
});
