import { Errors } from 'moleculer';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { replayDelivery } from '../../../services/events/deliveries/replay.ts';
import type { Deliverer, DelivererOptions } from '../../../services/events/delivering/deliverer.ts';
import type { PendingDelivery } from '../../../services/events/delivering/lanes/pending-deliveries.ts';
import { recordEvents } from '../../../services/events/recording/record-events.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  deliveryOf,
  insertDeliveries,
  REFUSED,
  SENT,
  startDeliverer,
  storedDelivery,
  storedLane,
  subscribe,
  useDeliveries,
} from './delivering.ts';

useDeliveries();
let deliverer: Deliverer;
afterEach(() => deliverer.stop());

const SUBSCRIPTION = 1;

/** Inserts the subscription, due since `begin`, and its deliveries. */
async function subscribeDue(begin: number, ...deliveries: Parameters<typeof insertDeliveries>) {
  await subscribe([SUBSCRIPTION], { dueAt: new Date(begin) });
  await insertDeliveries(...deliveries);
}

function start(
  send: Parameters<typeof startDeliverer>[0],
  options: Partial<DelivererOptions> = {},
): void {
  deliverer = startDeliverer(send, options);
}

test('a replay of a subscription that no process delivers at present is delivered', async () => {
  await subscribe([SUBSCRIPTION]);
  const { nextAttemptAt: _, ...ended } = deliveryOf(1, 'R', Date.now() - 60_000);
  const failed = { ...ended, status: 'FAILED' as const };
  await insertDeliveries(failed);
  start(async () => SENT);
  await replayDelivery(failed, changeContext(), async (ids) => deliverer.wake(ids));
  await waitFor('the delivery', async () => {
    return (await storedDelivery(1))?.status === 'DELIVERED';
  });
});

test('a later event of a resource behind a thousand others waits for an earlier one that has failed', async () => {
  const begin = Date.now() - 600_000;
  const [first, later] = [1, 5_000];
  const others = Array.from({ length: 2_600 }, (_, n) =>
    deliveryOf(n + 2, `other ${n}`, begin + n + 1),
  );
  const lastOfResource = deliveryOf(later, 'R', begin + 2_000);
  await subscribeDue(begin, deliveryOf(first, 'R', begin), ...others, lastOfResource);
  const seen: string[] = [];
  start(async ({ _id, attempts }) => {
    if (_id !== first && _id !== later) return SENT;
    const result = _id === first && attempts === 0 ? REFUSED : SENT;
    seen.push(`${_id} ${result.outcome}`);
    return result;
  });
  await waitFor('both deliveries', async () => seen.length >= 3, 60_000);
  expect(seen).toEqual(['1 failed', '1 delivered', '5000 delivered']);
});

test('an event that is recorded while an earlier one of its resource meets an outage is sent after it', async () => {
  const begin = Date.now() - 5_000;
  await subscribeDue(begin, deliveryOf(1, 'R', begin));
  const seen: string[] = [];
  let isAway = true;
  start(async ({ _id }) => {
    if (isAway) {
      isAway = false;
      await insertDeliveries(deliveryOf(2, 'R', begin + 1));
      deliverer.wake([SUBSCRIPTION]);
      throw new Errors.ServiceNotFoundError({ action: 'connections.openTexts' });
    }
    seen.push(String(_id));
    return SENT;
  });
  await waitFor('both deliveries', async () => seen.length >= 2, 20_000);
  expect(seen).toEqual(['1', '2']);
});

test('events of a resource are sent in their order when processes with different clocks record and send them', async () => {
  await subscribe([SUBSCRIPTION]);
  const record = (at: number) => {
    const resource = { type: 'issue', id: 7 };
    const type = 'issue.updated' as const;
    const time = new Date(at).toISOString();
    return recordEvents(
      [{ id: `${at}`, at: time, workspaceId: 1, type, resource, data: {} }],
      async (ids) => deliverer.wake(ids),
    );
  };
  const seen: string[] = [];
  const BEHIND_MS = 1_000;
  start(
    async ({ eventId }) => {
      seen.push(eventId);
      return SENT;
    },
    { now: () => Date.now() - BEHIND_MS },
  );
  const at = Date.now();
  await record(at);
  const clock = jest.spyOn(databaseClock, 'now').mockReturnValue(at + 100 - BEHIND_MS);
  await record(at + 100);
  clock.mockRestore();
  await waitFor('both deliveries', async () => seen.length >= 2);
  expect(seen).toEqual([`${at}`, `${at + 100}`]);
});

test('a secret that never opens counts as failed attempts, which end the delivery and are told', async () => {
  const begin = Date.now() - 5_000;
  await subscribeDue(begin, { ...deliveryOf(1, 'R', begin), giveUpAt: new Date(begin) });
  start(async () => {
    throw new TypeError('The secret of 1 does not open');
  });
  await waitFor('the end', async () => (await storedDelivery(1))?.status === 'FAILED');
  expect(await storedDelivery(1)).toMatchObject({ attempts: 1, response: null });
  await waitFor('the failure', async () => (await storedLane(SUBSCRIPTION))?.failingSince);
});

test('a delivery whose text was removed has failed, and says nothing about its receiver', async () => {
  const begin = Date.now() - 5_000;
  await subscribeDue(begin, deliveryOf(1, 'R', begin), deliveryOf(2, 'R', begin + 1));
  start(async ({ _id }) => (_id === 1 ? { outcome: 'expired', response: null } : SENT));
  await waitFor('the next one', async () => (await storedDelivery(2))?.status === 'DELIVERED');
  expect((await storedDelivery(1))?.status).toBe('FAILED');
  await deliverer.stop();
  expect(await storedLane(SUBSCRIPTION)).not.toHaveProperty('failingSince');
});

test('a stop gives a lane to others when the end of its attempt is stored', async () => {
  const begin = Date.now() - 5_000;
  await subscribeDue(begin, deliveryOf(1, 'R', begin), deliveryOf(2, 'R', begin + 1));
  const attempt = Promise.withResolvers<typeof SENT>();
  const sent: PendingDelivery[] = [];
  start((delivery) => {
    sent.push(delivery);
    return attempt.promise;
  });
  await waitFor('the attempt', async () => sent.length === 1);
  const stopped = deliverer.stop();
  attempt.resolve(SENT);
  await stopped;
  const [delivery, subscription] = await Promise.all([storedDelivery(1), storedLane(SUBSCRIPTION)]);
  expect(delivery?.status).toBe('DELIVERED');
  expect(subscription?.lane).not.toHaveProperty('holder');
  expect(sent).toHaveLength(1);
});
