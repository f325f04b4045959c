import { KINDS, System } from '../faults/system.ts';
import { Balancer } from '../faults/trial/balancer.ts';
import { TrialClient } from '../faults/trial/client.ts';
import { makeTarget, TrialLoad } from '../faults/trial/trial-load.ts';
import { registerVerified } from '../helpers/people.ts';
import { type ServiceProcess, warningsOf } from '../helpers/process.ts';
import { LocalApi } from '../helpers/runs.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { waitFor } from '../helpers/wait.ts';

const ENV = { OUTBOUND_ALLOW: '127.0.0.0/8', PUBLIC_URL: 'http://service.test', RATE_LIMIT: 'off' };

let system: System;
let api: LocalApi;
let balancer: Balancer;
let load: TrialLoad;
/** Every process that was started, those that have ended among them. */
const processes: ServiceProcess[] = [];
const remember = () => {
  for (const one of KINDS.flatMap((kind) => system.processesOf(kind)))
    if (!processes.includes(one)) processes.push(one);
};

beforeAll(async () => {
  api = await LocalApi.start();
  system = await System.start(dataFolder(), ENV, KINDS);
  remember();
  const owner = system.follow(await registerVerified(system.url));
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
  api.stop();
  await stopServers();
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
