import { HEAVY_FILE, LONG_LOOP, ONE_SET } from '../../helpers/heavy-flows.ts';
import { createWorkspace, type Person, register, registerVerified } from '../../helpers/people.ts';
import { createFlow, type RunAnswer, runToEnd, startRun } from '../../helpers/runs.ts';
import { startServer, stopServers, type TestServer } from '../../helpers/server.ts';
import { waitFor } from '../../helpers/wait.ts';

/** In each process that works on runs. */
const SLOTS = 4;
/** Of four slots one owner gets three. */
const SLOTS_PER_OWNER = 3;

let server: TestServer;
let ada: Person;
let workspaceId: number;
/** Slots that one owner gets in all processes. */
let slotsOfOwner: number;

beforeEach(async () => {
  server = await startServer({ env: { RUN_CONCURRENCY: String(SLOTS) } });
  slotsOfOwner = SLOTS_PER_OWNER * server.workers;
  ada = await registerVerified(server.url);
  workspaceId = await createWorkspace(ada);
});
afterEach(stopServers);

interface HeavyFlow {
  owner: Person;
  flowId: number;
}

async function heavyFlow(owner: Person): Promise<HeavyFlow> {
  return { owner, flowId: await createFlow(owner, await createWorkspace(owner), LONG_LOOP) };
}

async function statusesOf(flows: readonly HeavyFlow[]): Promise<string[]> {
  const pages = flows.map(({ owner, flowId }) =>
    owner.call<RunAnswer[]>('GET', `/flows/${flowId}/runs`),
  );
  return (await Promise.all(pages)).flatMap(({ body }) => body.map(({ status }) => status));
}

const running = (statuses: readonly string[]) =>
  statuses.filter((status) => status === 'RUNNING').length;

test('one person with twenty workspaces of heavy runs holds up no other', async () => {
  const eve = await registerVerified(server.url, 'Eve');
  const flows: HeavyFlow[] = [];
  for (let n = 0; n < 20; n++) flows.push(await heavyFlow(eve));
  for (const { flowId } of [...flows, ...flows]) await startRun(eve, flowId);
  await waitFor('heavy runs', async () => running(await statusesOf(flows)) === slotsOfOwner);

  const flowId = await createFlow(ada, workspaceId, ONE_SET);
  for (const n of [1, 2]) {
    const { status, output } = await runToEnd(ada, flowId, { n });
    expect([status, output]).toEqual(['SUCCESS', { n }]);
  }
  const statuses = await statusesOf(flows);
  expect(statuses.filter((status) => status === 'RUNNING' || status === 'QUEUED')).toHaveLength(40);
  expect(running(statuses)).toBe(slotsOfOwner);
}, 120_000);

test('unverified accounts together have the slots of one owner', async () => {
  const flows: HeavyFlow[] = [];
  for (let n = 0; n < slotsOfOwner + 2; n++)
    flows.push(await heavyFlow(await register(server.url, 'Eve')));
  for (const { owner, flowId } of flows) await startRun(owner, flowId);
  await waitFor('heavy runs', async () => running(await statusesOf(flows)) === slotsOfOwner);
  const run = await runToEnd(ada, await createFlow(ada, workspaceId, ONE_SET), { n: 1 });
  expect(run.status).toBe('SUCCESS');
  expect(running(await statusesOf(flows))).toBe(slotsOfOwner);
}, 120_000);

test('files that forty unverified accounts have checked hold up no verified person', async () => {
  const attackers: Person[] = [];
  for (let n = 0; n < 40; n++) attackers.push(await register(server.url, 'Eve'));
  let checked = 0;
  const checks = attackers.map((attacker) =>
    attacker.call('POST', '/flows/validate', { body: { content: HEAVY_FILE } }).then(
      ({ status }) => {
        if (status === 200) checked++; // a check that a slow machine refuses does not count
      },
      () => undefined, // the server goes before all are checked
    ),
  );
  await waitFor('the first check', () => checked > 0);
  const before = checked;
  await createFlow(ada, workspaceId, ONE_SET);
  const hers = await ada.call('POST', '/flows/validate', { body: { content: ONE_SET } });
  expect(hers.status).toBe(200);
  // In turns by caller, her checks would wait for most of the forty. In turns by owner, a few end beside them.
  expect(checked - before).toBeLessThan(20);
  await server.kill();
  await Promise.all(checks);
}, 120_000);

test('who verifies their address has a share of their own', async () => {
  const eve = await registerVerified(server.url, 'Eve');
  const flows: HeavyFlow[] = [];
  for (let n = 0; n < slotsOfOwner + 1; n++)
    flows.push(await heavyFlow(await register(server.url, 'Mallory')));
  flows.push(await heavyFlow(eve));
  for (const { owner, flowId } of flows) await startRun(owner, flowId);
  // Those of the unverified, and hers.
  await waitFor('all slots', async () => running(await statusesOf(flows)) === slotsOfOwner + 1);
  expect(await statusesOf(flows.slice(-1))).toEqual(['RUNNING']);
}, 120_000);
