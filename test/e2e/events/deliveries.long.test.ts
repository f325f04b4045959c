import { Webhook } from 'standardwebhooks';
import { e2e } from '../../fixtures/e2e.ts';
import { addMember } from '../../helpers/people.ts';
import { createFlow, runToEnd, startRun } from '../../helpers/runs.ts';
import { waitFor } from '../../helpers/wait.ts';
import { createWorkflow } from '../sample-world.ts';
import { Subscriber } from './subscriber.ts';

const { server, receiver } = e2e({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });

let subscriber: Subscriber;

beforeAll(async () => {
  subscriber = await Subscriber.register(server.url);
});

const headersOf = ({ headers }: (typeof receiver.received)[number]) => ({
  'webhook-id': String(headers['webhook-id']),
  'webhook-timestamp': String(headers['webhook-timestamp']),
  'webhook-signature': String(headers['webhook-signature']),
});

test('an event is sent as its resource is shown, and its signature can be verified', async () => {
  const target = `${receiver.origin}/signed`;
  const subscription = await subscriber.subscribe(target, ['issue.created', 'issue.deleted']);
  expect(subscription.secret).toMatch(/^whsec_/);
  const issue = await subscriber.raise('A tooth is loose');
  const event = await waitFor('the event', () => receiver.at('/signed')[0]);
  const { workspaceId } = subscriber;
  const shown = await subscriber.owner.call('GET', `/workspaces/${workspaceId}/issues/${issue.id}`);
  expect(event.body).toEqual({
    type: 'issue.created',
    timestamp: expect.stringMatching(/Z$/),
    workspaceId,
    data: shown.body,
  });
  expect(new Webhook(subscription.secret).verify(event.text, headersOf(event))).toEqual(event.body);
  const delivery = await waitFor('the end of the delivery', async () =>
    (await subscriber.deliveries(subscription)).find(({ status }) => status === 'DELIVERED'),
  );
  expect(delivery).toEqual({
    id: expect.any(Number),
    subscriptionId: subscription.id,
    type: 'issue.created',
    resource: { type: 'issue', id: issue.id },
    status: 'DELIVERED',
    attempts: 1,
    nextAttemptAt: null,
    response: { status: 200, body: 'ok', durationMs: expect.any(Number) },
    createdAt: event.body.timestamp,
  });
  expect((await subscriber.subscriptions()).map(({ id }) => id)).toEqual([subscription.id]);
});

test('events of one resource come in their order, although attempts fail', async () => {
  const failed = new Set<string>();
  receiver.reply = (event, response) => {
    const id = String(event.headers['webhook-id']);
    const fails = event.path === '/order' && !failed.has(id) && failed.size < 4;
    if (fails) failed.add(id);
    response.writeHead(fails ? 500 : 200).end();
  };
  const subscription = await subscriber.subscribe(`${receiver.origin}/order`, [
    'issue.created',
    'issue.updated',
  ]);
  const issue = await subscriber.raise('0');
  for (let n = 1; n < 8; n++) await subscriber.rename(issue.id, String(n));
  await waitFor('the end of all deliveries', async () => {
    const deliveries = await subscriber.deliveries(subscription);
    return deliveries.length === 8 && deliveries.every(({ status }) => status === 'DELIVERED');
  });
  const delivered = receiver.at('/order').map(({ body }) => Number(body.data.title));
  expect(delivered).toEqual(delivered.toSorted((a, b) => a - b));
  expect(new Set(delivered).size).toBe(8);
  expect(failed.size).toBeGreaterThan(0);
});

test('a new version of a flow and a publication of a workflow are events, as GET shows them', async () => {
  receiver.reply = (_event, response) => void response.end();
  const { owner, workspaceId } = subscriber;
  await subscriber.subscribe(`${receiver.origin}/files`, [
    'flow.version-created',
    'workflow.published',
  ]);
  const flowId = await createFlow(owner, workspaceId, 'do: [{ a: { set: { x: 1 } } }]');
  await owner.call('PUT', '/flows', { body: { flowId, description: 'no version' } });
  const content = 'do: [{ a: { set: { x: 2 } } }]';
  const flow = await owner.call('PUT', '/flows', { body: { flowId, content } });
  const workflow = await createWorkflow({ owner, workspaceId });
  await waitFor('three events', () => receiver.at('/files').length === 3);
  const [first, second] = receiver.at('/files').filter(({ body }) => body.type.startsWith('flow'));
  expect(first?.body).toMatchObject({ type: 'flow.version-created', data: { id: flowId } });
  expect(second?.body.data).toEqual(flow.body);
  const published = receiver.at('/files').find(({ body }) => body.type === 'workflow.published');
  const shown = await owner.call('GET', `/workflow/${workflow.id}`);
  expect(published?.body.data).toEqual(shown.body);
});

test('starts and ends of runs are events, those of child runs are not', async () => {
  const { owner, workspaceId } = subscriber;
  await subscriber.subscribe(`${receiver.origin}/runs`, [
    'run.started',
    'run.succeeded',
    'run.failed',
    'run.cancelled',
  ]);
  await createFlow(owner, workspaceId, 'do: [{ a: { set: { x: 1 } } }]', 'child');
  const parent = await createFlow(
    owner,
    workspaceId,
    'do: [{ a: { run: { workflow: { namespace: workspace, name: child, version: latest } } } }]',
  );
  const succeeded = await runToEnd(owner, parent);
  const failing = await createFlow(
    owner,
    workspaceId,
    "do: [{ a: { raise: { error: { type: 'https://example.com/x', status: 400 } } } }]",
  );
  const failed = await runToEnd(owner, failing);
  const waiting = await createFlow(owner, workspaceId, 'do: [{ a: { wait: PT1H } }]');
  const { id } = (await startRun(owner, waiting)).body;
  await waitFor('the third start', () => typesOf(id).length === 1);
  await owner.call('POST', `/flows/runs/${id}/cancel`);
  await waitFor('the last event', () => typesOf(id).length === 2);
  expect(typesOf(succeeded.id)).toEqual(['run.started', 'run.succeeded']);
  expect(typesOf(failed.id)).toEqual(['run.started', 'run.failed']);
  expect(typesOf(id)).toEqual(['run.started', 'run.cancelled']);
  expect(receiver.at('/runs')).toHaveLength(6);
  const [started, ended] = receiver.at('/runs').filter(({ body }) => body.data.id === failed.id);
  expect(ended?.body.data).toEqual((await owner.call('GET', `/flows/runs/${failed.id}`)).body);
  expect(started?.body.data).toEqual({
    ...ended?.body.data,
    status: 'RUNNING',
    error: null,
    completedAt: null,
  });
});

test('members who are added, given another role and removed are events, in their order', async () => {
  const { owner, workspaceId } = subscriber;
  await subscriber.subscribe(`${receiver.origin}/members`, [
    'member.added',
    'member.role-changed',
    'member.removed',
  ]);
  const path = `/workspaces/${workspaceId}/users`;
  const member = await addMember(server.url, owner, workspaceId, 'GUEST');
  const list = await owner.call<{ id: number }[]>('GET', path);
  const roleOf = (role: string) => ({ query: { userEmail: member.email, role } });
  await owner.call('PUT', `${path}/role`, roleOf('OWNER'));
  await owner.call('PUT', `${path}/role`, roleOf('MEMBER'));
  await owner.call('DELETE', path, { query: { userEmail: member.email } });
  await owner.call('POST', path, roleOf('AGENT'));
  await waitFor('the last event', () => receiver.at('/members').length === 5);
  const events = receiver.at('/members').map(({ body: { type, data } }) => [type, data.role]);
  expect(events).toEqual([
    ['member.added', 'GUEST'],
    ['member.role-changed', 'OWNER'],
    ['member.role-changed', 'MEMBER'],
    ['member.removed', 'MEMBER'],
    ['member.added', 'AGENT'],
  ]);
  const [added] = receiver.at('/members');
  expect(added?.body.data).toEqual(list.body.find(({ id }) => id === added?.body.data.id));
});

const typesOf = (runId: number): string[] =>
  receiver
    .at('/runs')
    .filter(({ body }) => body.data.id === runId)
    .map(({ body }) => body.type);
