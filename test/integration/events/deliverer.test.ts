import {
  type EventDeliveryDocument,
  EventDeliveryModel,
} from '../../../models/event-delivery.model.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';
import { OutgoingEventModel } from '../../../models/outgoing-event.model.ts';
import { replayDelivery } from '../../../services/events/deliveries/replay.ts';
import type { AttemptResult } from '../../../services/events/delivering/attempt.ts';
import { Deliverer } from '../../../services/events/delivering/deliverer.ts';
import type { PendingDelivery } from '../../../services/events/delivering/pending-deliveries.ts';
import type { Sender } from '../../../services/events/delivering/sender.ts';
import { recordEvents } from '../../../services/events/recording/record-events.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';
import { waitFor } from '../../helpers/wait.ts';

useDatabase([EventSubscriptionModel, EventDeliveryModel, OutgoingEventModel]);
beforeEach(async () => {
  for (const { collection } of [EventSubscriptionModel, EventDeliveryModel]) {
    await collection.deleteMany();
  }
});
let deliverer: Deliverer;
afterEach(() => deliverer.stop());

const SUBSCRIPTION = 1;
const SENT: AttemptResult = {
  outcome: 'delivered',
  response: { status: 200, body: '', durationMs: 1 },
};
const REFUSED: AttemptResult = {
  outcome: 'failed',
  response: { status: 503, body: '', durationMs: 1 },
};

/** Starts a deliverer whose attempts end as `send` says. Its clock is behind by `behindMs`. */
function start(send: (delivery: PendingDelivery) => Promise<AttemptResult>, behindMs = 0): void {
  const sender = {
    send: async (delivery, _lane, isLeased) => (isLeased() ? send(delivery) : null),
    stop: async () => undefined,
  } satisfies Pick<Sender, 'send' | 'stop'>;
  deliverer = new Deliverer({
    sender: sender as unknown as Sender,
    switchOff: async () => undefined,
    now: () => Date.now() - behindMs,
  });
  deliverer.start();
}

const subscribe = (lane: object = {}) =>
  EventSubscriptionModel.collection.insertOne({
    _id: SUBSCRIPTION,
    workspaceId: 1,
    url: 'https://receiver.test/',
    events: ['issue.updated'],
    enabled: true,
    revision: 1,
    lane: { raised: 0, pending: 0, ...lane },
  } as never);

const deliveryOf = (_id: number, resourceKey: string, at: number): EventDeliveryDocument => ({
  _id,
  subscriptionId: SUBSCRIPTION,
  workspaceId: 1,
  eventId: `event ${_id}`,
  type: 'issue.updated',
  resource: { type: 'issue', id: 1 },
  resourceKey,
  position: at * 1_000,
  status: 'PENDING',
  attempts: 0,
  failures: 0,
  nextAttemptAt: new Date(at),
  giveUpAt: new Date(Date.now() + 86_400_000),
  response: null,
  createdAt: new Date(at),
});
const insert = (...rows: EventDeliveryDocument[]) =>
  EventDeliveryModel.collection.insertMany(rows as never[]);

test('a replay of a subscription that no process delivers at present is delivered', async () => {
  await subscribe();
  const { nextAttemptAt: _, ...ended } = deliveryOf(1, 'R', Date.now() - 60_000);
  const failed = { ...ended, status: 'FAILED' as const };
  await insert(failed);
  start(async () => SENT);
  await replayDelivery(failed, changeContext(), async (ids) => deliverer.wake(ids));
  await waitFor('the delivery', async () => {
    const stored = await EventDeliveryModel.findById(1).lean();
    return stored?.status === 'DELIVERED';
  });
});

test('a later event of a resource behind a thousand others waits for an earlier one that has failed', async () => {
  const begin = Date.now() - 600_000;
  await subscribe({ dueAt: new Date(begin) });
  const [first, later] = [1, 5_000];
  const others = Array.from({ length: 2_600 }, (_, n) =>
    deliveryOf(n + 2, `other ${n}`, begin + n + 1),
  );
  await insert(deliveryOf(first, 'R', begin), ...others, deliveryOf(later, 'R', begin + 2_000));
  const seen: string[] = [];
  start(async ({ _id, attempts }) => {
    if (_id !== first && _id !== later) return SENT;
    const result = _id === first && attempts === 0 ? REFUSED : SENT;
    seen.push(`${_id} ${result.outcome}`);
    return result;
  });
  await waitFor('both deliveries', async () => seen.length >= 3, 60_000);
  expect(seen).toEqual(['1 failed', '1 delivered', '5000 delivered']);
}, 90_000);

test('an event that is recorded while an earlier one of its resource meets an outage is sent after it', async () => {
  const begin = Date.now() - 5_000;
  await subscribe({ dueAt: new Date(begin) });
  await insert(deliveryOf(1, 'R', begin));
  const seen: string[] = [];
  let isAway = true;
  start(async ({ _id }) => {
    if (isAway) {
      isAway = false;
      await insert(deliveryOf(2, 'R', begin + 1));
      deliverer.wake([SUBSCRIPTION]);
      throw new Error('the service of the secrets is away');
    }
    seen.push(String(_id));
    return SENT;
  });
  await waitFor('both deliveries', async () => seen.length >= 2, 20_000);
  expect(seen).toEqual(['1', '2']);
});

test('events of a resource are sent in their order when processes with different clocks record and send them', async () => {
  await subscribe();
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
  start(async ({ eventId }) => {
    seen.push(eventId);
    return SENT;
  }, BEHIND_MS);
  const at = Date.now();
  await record(at);
  const clock = jest.spyOn(databaseClock, 'now').mockReturnValue(at + 100 - BEHIND_MS);
  await record(at + 100);
  clock.mockRestore();
  await waitFor('both deliveries', async () => seen.length >= 2);
  expect(seen).toEqual([`${at}`, `${at + 100}`]);
});
