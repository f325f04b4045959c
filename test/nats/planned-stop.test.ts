import { e2e } from '../fixtures/e2e.ts';
import { Balancer } from '../faults/trial/balancer.ts';
import { TrialClient } from '../faults/trial/client.ts';
import { makeTarget, TrialLoad } from '../faults/trial/trial-load.ts';
import { type ServiceProcess, warningsOf } from '../helpers/process.ts';
import { KINDS } from '../helpers/system.ts';
import { waitFor } from '../helpers/wait.ts';

const ENV = { OUTBOUND_ALLOW: '127.0.0.0/8', PUBLIC_URL: 'http://service.test', RATE_LIMIT: 'off' };

const { server: system, owner, api } = e2e({ processes: KINDS, env: ENV });
let balancer: Balancer;
let load: TrialLoad;
/** Every process that was started, those that have ended among them. */
const processes: ServiceProcess[] = [];
const remember = () => {
  for (const one of KINDS.flatMap((kind) => system.processesOf(kind)))
    if (!processes.includes(one)) processes.push(one);
};

beforeAll(async () => {
  remember();
  const target = await makeTarget(owner, api.url, 'planned');
  const { status } = await owner.call(
    'POST',
    `/workspaces/${target.workspaceId}/event-subscriptions`,
    {
      body: { url: `${api.url}/ok/event/1`, events: ['issue.created', 'run.succeeded'] },
    },
  );
  expect(status).toBe(201);
  balancer = new Balancer(() => system.urls);
  load = await TrialLoad.start(new TrialClient(balancer, owner), target);
  await workDone();
});
afterAll(async () => {
  load.client.giveUp();
  await Promise.all([load.stop(), balancer.stop()]);
});

/** Waits until more of each kind of work was done than before. */
async function workDone(): Promise<void> {
  const { created, runs } = load.ledger;
  const [written, started] = [created.size, runs.length];
  await waitFor('work', () => created.size > written + 5 && runs.length > started);
}

const warnings = () => processes.flatMap((one) => warningsOf(one.output()));

test.each(KINDS)('%s is replaced under load, and no process warns of anything', async (kind) => {
  await system.add(kind);
  remember();
  expect(await system.remove(kind, 'SIGTERM')).toBe(0);
  await workDone();
  expect(warnings()).toEqual([]);
});

test('all processes are stopped at once under load, and none warns that the others are gone', async () => {
  const codes = await Promise.all(KINDS.map((kind) => system.remove(kind, 'SIGTERM')));
  expect(codes).toEqual([0, 0, 0]);
  expect(processes).toHaveLength(2 * KINDS.length);
  expect(warnings()).toEqual([]);
});
