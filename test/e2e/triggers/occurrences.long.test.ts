import { e2e } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { createWorkspace } from '../../helpers/people.ts';
import { createFlow, type RunAnswer } from '../../helpers/runs.ts';
import { hourly, StoredSchedules } from '../../helpers/schedules.ts';
import { waitFor } from '../../helpers/wait.ts';

const FLOW = 'do:\n  - one: { set: { x: 1 } }\n';
const WAITING = 'do:\n  - rest: { wait: PT1H }\n';

const {
  server,
  database,
  owner: ada,
  workspace,
} = e2e({ database: true, env: { SCHEDULES_PER_FLOW: '3', SCHEDULES_PER_WORKSPACE: '50' } });
const stored = new StoredSchedules(database);

const newFlow = (content = FLOW) => workspace.flow(content);

interface Wanted {
  misfire?: string;
  overlap?: string;
  enabled?: boolean;
  flowId?: number;
}
async function create({ flowId, ...fields }: Wanted = {}, maker = ada) {
  const { cron, ago } = hourly();
  const flow = flowId ?? (await newFlow());
  const body = { cron, timeZone: 'UTC', misfire: 'SKIP', overlap: 'ALLOW', ...fields };
  const made = await maker.call<{ id: number }>('POST', `/flows/${flow}/schedules`, { body });
  expect(made.status).toBe(201);
  return { id: made.body.id, flowId: flow, ago };
}
const runsOf = async (flowId: number) =>
  (await ada.call<RunAnswer[]>('GET', `/flows/${flowId}/runs`)).body;

/** Waits until no occurrence of the schedule is due. */
const settled = (id: number) =>
  waitFor('the next occurrence', async () => {
    const schedule = await stored.find(id);
    return (schedule?.dueAt ?? 0) > new Date() && !schedule?.lease && schedule;
  });

test.each([
  { misfire: 'SKIP', runs: 0 },
  { misfire: 'RUN_ONCE', runs: 1 },
  { misfire: 'RUN_ALL', runs: 3 },
])('of three missed occurrences $misfire starts $runs', async ({ misfire, runs }) => {
  const { id, flowId, ago } = await create({ misfire });
  await stored.makeDue([id], ago(2));
  const { nextOccurrence } = await settled(id);
  expect(nextOccurrence).toEqual(ago(-1));
  expect(await runsOf(flowId)).toHaveLength(runs);
});

test('a start that a crash repeats is the same run', async () => {
  const { id, flowId, ago } = await create({ misfire: 'RUN_ONCE' });
  await stored.makeDue([id], ago(0));
  const { lastOccurrence } = await settled(id);
  await stored.makeDue([id], ago(0));
  expect((await settled(id)).lastOccurrence?.runId).toBe(lastOccurrence?.runId);
  expect(await runsOf(flowId)).toHaveLength(1);
});

test('while the last run is live, overlap SKIP starts none', async () => {
  const flowId = await newFlow(WAITING);
  const { id, ago } = await create({ misfire: 'RUN_ALL', overlap: 'SKIP', flowId });
  await stored.makeDue([id], ago(2));
  const { lastOccurrence } = await settled(id);
  expect(lastOccurrence).toMatchObject({ at: ago(0), outcome: 'OVERLAPPED' });
  const [run, ...others] = await runsOf(flowId);
  expect(others).toEqual([]);
  await ada.call('POST', `/flows/runs/${run?.id}/cancel`);
  await waitFor('the end', async () => (await runsOf(flowId))[0]?.status === 'CANCELLED');
  await stored.makeDue([id], ago(0));
  expect((await settled(id)).lastOccurrence?.outcome).toBe('STARTED');
});

test('a refused start is over, and operators find why', async () => {
  const empty = await ada.call<{ id: number }>('POST', '/flows', {
    body: { workspaceId: workspace.id, name: 'without a version' },
  });
  const { id, ago } = await create({ misfire: 'RUN_ONCE', flowId: empty.body.id });
  await stored.makeDue([id], ago(0));
  const { lastOccurrence } = await settled(id);
  expect(lastOccurrence).toMatchObject({ outcome: 'REFUSED', code: 'FLOW_HAS_NO_VERSION' });
});

test('what was due and had not begun is over when a schedule is switched off, or changed', async () => {
  const { id, flowId, ago } = await create({ misfire: 'RUN_ALL', enabled: false });
  const put = (body: object) => ada.call('PUT', `/flows/schedules/${id}`, { body });
  await put({ enabled: true });
  const lease = { lease: 'of a scheduler that stands still', dueAt: new Date(Date.now() + 60_000) };
  await stored.collection.updateOne({ _id: id }, { $set: { ...lease, nextOccurrence: ago(2) } });
  await put({ timeZone: 'Europe/Berlin' });
  expect(await stored.find(id)).toMatchObject({ nextOccurrence: ago(-1), dueAt: ago(-1) });
  expect(await stored.find(id)).not.toHaveProperty('lease');
  await put({ enabled: false });
  expect(await stored.find(id)).not.toHaveProperty('dueAt');
  expect(await runsOf(flowId)).toEqual([]);
});

test('a schedule whose flow is gone starts nothing, and goes', async () => {
  const { id, flowId, ago } = await create({ misfire: 'RUN_ALL' });
  await database.collection<{ _id: number }>('flows').deleteOne({ _id: flowId });
  await stored.makeDue([id], ago(1));
  await waitFor('its removal', async () => (await stored.find(id)) === null);
});

test('the schedules and webhooks of a deleted workspace go', async () => {
  const workspace = await createWorkspace(ada);
  const flowId = await createFlow(ada, workspace, FLOW);
  const { id } = await create({ flowId });
  const hook = await ada.call<{ url: string }>('POST', `/flows/${flowId}/webhooks`, {});
  const path = hook.body.url.slice(hook.body.url.indexOf('/hooks/'));
  expect((await fetch(`${server.url}${path}`, { method: 'POST' })).status).toBe(202);
  expect((await ada.call('DELETE', `/workspaces/${workspace}`)).status).toBe(204);
  expect((await fetch(`${server.url}${path}`, { method: 'POST' })).status).toBe(404);
  await waitFor('its removal', async () => (await stored.find(id)) === null);
  const webhooks = database.collection('webhooks');
  await waitFor('no webhook', async () => (await webhooks.countDocuments({ flowId })) === 0);
});

test('the triggers of a deleted flow go with it', async () => {
  const { id, flowId } = await create();
  const hook = await ada.call<{ id: number }>('POST', `/flows/${flowId}/webhooks`, {});
  expect((await ada.call('DELETE', `/flows/${flowId}`)).status).toBe(204);
  const webhooks = database.collection<{ _id: number }>('webhooks');
  await waitFor('their removal', async () => {
    const left = [await stored.find(id), await webhooks.findOne({ _id: hook.body.id })];
    return left.every((trigger) => trigger === null);
  });
});

test('concurrent creations stay within the quota of the flow', async () => {
  const flowId = await newFlow();
  const body = { cron: '0 0 29 2 *', timeZone: 'UTC', misfire: 'SKIP', overlap: 'ALLOW' };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () =>
      ada.call<ProblemBody & { quota: string }>('POST', `/flows/${flowId}/schedules`, { body }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body).toMatchObject({ code: 'QUOTA_REACHED', quota: 'SCHEDULES_PER_FLOW' });
});

test('a trigger survives the member who made it', async () => {
  const bob = await workspace.member('MEMBER');
  const { id, flowId, ago } = await create({ misfire: 'RUN_ONCE' }, bob);
  const removal = { body: { userEmail: bob.email } };
  const path = `${workspace.path}/users/remove`;
  expect((await ada.call('POST', path, removal)).status).toBeLessThan(300);
  await stored.makeDue([id], ago(0));
  await settled(id);
  expect(await runsOf(flowId)).toHaveLength(1);
});

test('the audit log names the schedule that has started a run', async () => {
  const { id, flowId, ago } = await create({ misfire: 'RUN_ONCE' });
  await stored.makeDue([id], ago(0));
  await settled(id);
  const [run] = await runsOf(flowId);
  const entries = await waitFor('the entries', async () => {
    const { body } = await ada.call<
      { operation: string; actor: object; resource: { id: number } }[]
    >('GET', `${workspace.path}/audit-log`, {
      query: { resourceType: 'run', resourceId: run?.id },
    });
    return body.length > 0 && body;
  });
  expect(entries).toEqual([
    expect.objectContaining({
      operation: 'runs.startTriggered',
      actor: { type: 'system', id, name: 'schedule' },
    }),
  ]);
});
