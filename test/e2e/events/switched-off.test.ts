import { e2e } from '../../fixtures/e2e.ts';
import { request } from '../../helpers/http.ts';
import { waitFor } from '../../helpers/wait.ts';
import { Subscriber } from './subscriber.ts';

/** Milliseconds of a day and an hour. */
const OVER_A_DAY_MS = 25 * 3600 * 1000;

interface Mail {
  subject: string;
  text: string;
}

const { server, database, receiver } = e2e({
  database: true,
  env: { OUTBOUND_ALLOW: '127.0.0.0/8' },
});

let subscriber: Subscriber;

beforeAll(async () => {
  receiver.reply = (_event, response) => void response.writeHead(500).end();

  subscriber = await Subscriber.register(server.url);
});

test('a day without a successful attempt switches a subscription off, and its OWNERs are mailed', async () => {
  const subscription = await subscriber.subscribe(`${receiver.origin}/x`, ['issue.created']);
  const failingSince = new Date(Date.now() - OVER_A_DAY_MS);
  await database
    .collection('event_subscriptions')
    .updateOne({ _id: subscription.id as never }, { $set: { failingSince } });
  await subscriber.raise('the last straw');
  const off = await waitFor('the switch', async () =>
    (await subscriber.subscriptions()).find(({ enabled }) => !enabled),
  );
  expect(off.disabledReason).toContain('24 hours');
  const query = { to: subscriber.owner.email };
  const mail = await waitFor('the mail', async () => {
    const { body } = await request<Mail[]>(server.url, 'GET', '/dev/outbox', { query });
    return body.find(({ subject }) => subject === 'A subscription to events was switched off');
  });
  expect(mail.text).toContain(`event subscription ${subscription.id}`);
  await waitFor('the failure', async () =>
    (await subscriber.deliveries(subscription)).every(({ status }) => status === 'FAILED'),
  );
});

test('a subscription that is switched on again has another day', async () => {
  const { id } = await subscriber.subscribe(`${receiver.origin}/y`, ['issue.created']);
  const stored = database.collection('event_subscriptions');
  const filter = { _id: id as never };
  const failingSince = new Date(Date.now() - OVER_A_DAY_MS);
  await stored.updateOne(filter, { $set: { failingSince } });
  const isEnabled = async () =>
    (await subscriber.subscriptions()).find((one) => one.id === id)?.enabled;
  await subscriber.raise('off');
  await waitFor('the switch', async () => (await isEnabled()) === false);
  await subscriber.owner.call('PUT', `/event-subscriptions/${id}`, { body: { enabled: true } });
  await subscriber.raise('on');
  await waitFor('the new failure', async () => {
    const found = await stored.findOne(filter);
    return found?.failingSince > failingSince;
  });
  expect(await isEnabled()).toBe(true);
});
