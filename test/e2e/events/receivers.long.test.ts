import { e2e } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { waitFor } from '../../helpers/wait.ts';
import { Subscriber } from './subscriber.ts';

const { receiver, server, stranger } = e2e({ env: allowReceiver });

let subscriber: Subscriber;

function allowReceiver(): Record<string, string> {
  return { OUTBOUND_ALLOW: new URL(receiver.origin).host };
}
/** The responses of a receiver that never answers; they are cut at the end. */
const silent: (() => void)[] = [];
/** The requests that such a receiver has open, and the most that it had open at the same time. */
const unanswered = { open: 0, most: 0 };
/**
 * Milliseconds in which 40 events are raised and reach a quick receiver. Behind those of a silent one the last of them
 * would wait 30 s.
 */
const QUICK_MS = 25_000;

beforeAll(async () => {
  subscriber = await Subscriber.register(server.url);
  receiver.reply = ({ path }, response) => {
    if (path === '/redirect') {
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    } else if (path === '/long') response.end('x'.repeat(10 * 1024 * 1024));
    else if (path === '/gone') response.writeHead(410).end('go away');
    else if (path === '/silent') {
      unanswered.most = Math.max(unanswered.most, ++unanswered.open);
      response.on('close', () => unanswered.open--);
      silent.push(() => response.destroy());
    } else if (path === '/failing') response.writeHead(503).end('not now');
    else response.end('ok');
  };
});
afterAll(() => {
  for (const cut of silent) cut();
});

const firstAttempt = (subscription: { id: number }) =>
  waitFor('an attempt', async () =>
    (await subscriber.deliveries(subscription)).find(({ attempts }) => attempts > 0),
  );

test.each([
  ['http://10.1.2.3/', 'target_refused'],
  ['http://169.254.169.254/latest', 'target_refused'],
  ['http://[::1]:9/', 'target_refused'],
  ['https://user:secret@example.com/', 'target_refused'],
  ['ftp://example.com/', 'target_refused'],
  ['no url', 'target_refused'],
])('a subscription to %s is refused at once', async (target, code) => {
  const path = `/workspaces/${subscriber.workspaceId}/event-subscriptions`;
  const body = { url: target, events: ['issue.created'] };
  const answer = await subscriber.owner.call<ProblemBody>('POST', path, { body });
  expect([answer.status, answer.body.errors]).toEqual([
    400,
    [expect.objectContaining({ path: 'url', code })],
  ]);
});

test('a redirection is not followed: it is an attempt that has failed', async () => {
  const subscription = await subscriber.subscribe(`${receiver.origin}/redirect`, ['issue.created']);
  await subscriber.raise('redirected');
  const delivery = await firstAttempt(subscription);
  expect(delivery).toMatchObject({ status: 'PENDING', response: { status: 302 } });
  expect(Date.parse(delivery.nextAttemptAt ?? '')).toBeGreaterThan(0);
});

test('a name that leads to an address which is not public gets nothing', async () => {
  const subscription = await subscriber.subscribe('http://localhost:9/', ['issue.created']);
  await subscriber.raise('private');
  expect(await firstAttempt(subscription)).toMatchObject({ status: 'PENDING', response: null });
});

test('of an answer of 10 MB the first 4 KiB are kept', async () => {
  const subscription = await subscriber.subscribe(`${receiver.origin}/long`, ['issue.created']);
  await subscriber.raise('long');
  const { status, response } = await firstAttempt(subscription);
  expect([status, response?.body.length]).toEqual(['DELIVERED', 4096]);
});

test('a receiver that never answers delays nobody else', async () => {
  await subscriber.subscribe(`${receiver.origin}/silent`, ['issue.created']);
  await subscriber.subscribe(`${receiver.origin}/quick`, ['issue.created']);
  const end = performance.now() + QUICK_MS;
  for (let n = 0; n < 40; n++) await subscriber.raise(`event ${n}`);
  const all = () => receiver.at('/quick').length === 40;
  await waitFor('all events', all, end - performance.now());
  expect(unanswered.most).toBeGreaterThan(0);
  expect(unanswered.most).toBeLessThanOrEqual(16);
});

test('410 switches a subscription off, whose pending deliveries have failed, and a replay sends them', async () => {
  const subscription = await subscriber.subscribe(`${receiver.origin}/gone`, ['issue.created']);
  await subscriber.raise('gone');
  const off = await waitFor('the switch', async () =>
    (await subscriber.subscriptions()).find(
      ({ id, enabled }) => id === subscription.id && !enabled,
    ),
  );
  expect(off.disabledReason).toContain('410');
  await subscriber.raise('not recorded');
  const path = `/event-subscriptions/${subscription.id}`;
  const refused = await subscriber.owner.call<ProblemBody>('POST', `${path}/deliveries/replay`);
  expect([refused.status, refused.body.code]).toEqual([409, 'SUBSCRIPTION_DISABLED']);
  const body = { enabled: true, url: `${receiver.origin}/back` };
  const on = await subscriber.owner.call('PUT', path, { body });
  expect(on.body).toMatchObject({ enabled: true, disabledReason: null });
  const replay = await subscriber.owner.call('POST', `${path}/deliveries/replay`);
  expect([replay.status, replay.body]).toEqual([202, { queued: 1 }]);
  const event = await waitFor('the replay', () => receiver.at('/back')[0]);
  expect(event.headers['webhook-id']).toBe(receiver.at('/gone')[0]?.headers['webhook-id']);
  expect(event.body.data.title).toBe('gone');
});

test('switching a subscription off fails what is pending, and one delivery can be replayed', async () => {
  const subscription = await subscriber.subscribe(`${receiver.origin}/failing`, ['issue.created']);
  await subscriber.raise('failing');
  await firstAttempt(subscription);
  const path = `/event-subscriptions/${subscription.id}`;
  await subscriber.owner.call('PUT', path, { body: { enabled: false } });
  const failed = await waitFor(
    'the failure',
    async () => (await subscriber.deliveries(subscription, '?status=FAILED'))[0],
  );
  expect(failed).toMatchObject({ nextAttemptAt: null, response: { status: 503, body: 'not now' } });
  const body = { enabled: true, url: `${receiver.origin}/works` };
  await subscriber.owner.call('PUT', path, { body });
  const replay = `/event-subscriptions/deliveries/${failed.id}/replay`;
  expect((await subscriber.owner.call('POST', replay)).status).toBe(202);
  await waitFor(
    'the delivery',
    async () => (await subscriber.deliveries(subscription, '?status=DELIVERED'))[0],
  );
});

test('a stranger finds neither subscriptions nor deliveries', async () => {
  const subscription = await subscriber.subscribe(`${receiver.origin}/mine`, ['issue.created']);
  const path = `/event-subscriptions/${subscription.id}`;
  const calls = await Promise.all([
    stranger.call('GET', `${path}/deliveries`),
    stranger.call('PUT', path, { body: {} }),
    stranger.call('DELETE', path),
    stranger.call('POST', `${path}/deliveries/replay`),
  ]);
  expect(calls.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
});

test('a removed subscription takes its deliveries along', async () => {
  const subscription = await subscriber.subscribe(`${receiver.origin}/failing`, ['issue.created']);
  await subscriber.raise('removed');
  await firstAttempt(subscription);
  const path = `/event-subscriptions/${subscription.id}`;
  expect((await subscriber.owner.call('DELETE', path)).status).toBe(204);
  expect((await subscriber.owner.call('GET', `${path}/deliveries`)).status).toBe(404);
});
