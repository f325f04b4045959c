import type { OutboundClient } from '@workspace-automation/outbound-http';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { emit } from '../../contract/event.ts';
import { environment } from '../../environment/environment.ts';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { batchFind } from '../../mixins/database/batch-loader.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import {
  type EventDeliveryDocument,
  EventDeliveryModel,
} from '../../models/event-delivery.model.ts';
import { EventSubscriptionModel } from '../../models/event-subscription.model.ts';
import { EventUsageModel } from '../../models/event-usage.model.ts';
import { OutgoingEventModel } from '../../models/outgoing-event.model.ts';
import { allowedTargets, createServiceClient } from '../../support/outbound.ts';
import { implement, on, type Params } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { createShareOwners } from '../share-owners/create-share-owners.ts';
import type { ShareOwners } from '../share-owners/share-owners.ts';
import { listDeliveries } from './deliveries/list-deliveries.ts';
import { replayDeliveries, replayDelivery } from './deliveries/replay.ts';
import { Deliverer } from './delivering/deliverer.ts';
import { findOldestWaiting } from './delivering/oldest-waiting.ts';
import { Sender } from './delivering/sender.ts';
import { eventsContract } from './events.contract.ts';
import { deliveriesDue } from './events.events.ts';
import { recordEvents } from './recording/record-events.ts';
import { wakeDeliveries } from './recording/wake-deliveries.ts';
import { findWanted } from './recording/wanted.ts';
import { removeDeliveries } from './retention/remove-deliveries.ts';
import { WorkspaceBound } from './retention/workspace-bound.ts';
import { createSubscription } from './subscriptions/create-subscription.ts';
import {
  findLongestFailures,
  listFailingSubscriptions,
} from './subscriptions/list-failing-subscriptions.ts';
import { listSubscriptions } from './subscriptions/list-subscriptions.ts';
import { removeSubscription } from './subscriptions/remove-subscription.ts';
import {
  type SubscriptionSecrets,
  subscriptionSecretsOf,
} from './subscriptions/subscription-secrets.ts';
import { subscriptions } from './subscriptions/subscriptions.store.ts';
import { switchOff, switchOffWorkspace } from './subscriptions/switch-off.ts';
import { updateSubscription } from './subscriptions/update-subscription.ts';

/** Subscriptions to the outgoing events of workspaces, and the deliveries of these events. */
export function eventsService(): ServiceSchema {
  const erasures = erasuresOf(
    'events',
    [OutgoingEventModel, EventSubscriptionModel, EventDeliveryModel, EventUsageModel],
    () => ({ hooks: { event_subscriptions: switchOffWorkspace } }),
  );
  const allowed = allowedTargets();
  const bound = new WorkspaceBound(environment.EVENT_BYTES_PER_WORKSPACE);
  let secrets: SubscriptionSecrets;
  let owners: ShareOwners;
  let outbound: OutboundClient;
  let deliverer: Deliverer;
  let wake: (subscriptionIds: readonly number[]) => Promise<void>;

  return {
    name: 'events',
    mixins: [erasures.mixin, Changes(subscriptions)],
    actions: implement(
      eventsContract,
      {
        ...erasures.handlers,
        createSubscription: (ctx) =>
          createSubscription(ctx.params, changeOf(ctx), { allowed, secrets }),
        listSubscriptions: (ctx) => listSubscriptions(ctx.params),
        updateSubscription: (ctx) =>
          updateSubscription(ctx.locals.resource, ctx.params, changeOf(ctx), allowed),
        removeSubscription: (ctx) => removeSubscription(ctx.locals.resource, changeOf(ctx)),
        listDeliveries: (ctx) => listDeliveries(ctx.params),
        replayDeliveries: (ctx) =>
          replayDeliveries(ctx.locals.resource, ctx.params, changeOf(ctx), wake),
        replayDelivery: (ctx) => replayDelivery(ctx.locals.resource, changeOf(ctx), wake),
        listFailingSubscriptions: ({ params }) => listFailingSubscriptions(params),
        longestFailures: findLongestFailures,
        oldestWaiting: () => findOldestWaiting(deliverer.oldest),
        wanted: (ctx) => findWanted(ctx.params.workspaceIds),
        record: (ctx) => recordEvents(ctx.params.entries, wake, bound.note),
        wakeDeliveries: (ctx) => wakeDeliveries(idsOf(ctx.params), wake),
        removeDeliveries: (ctx) => removeDeliveries(idsOf(ctx.params)),
      },
      {
        eventSubscription: subscriptions.find,
        delivery: batchFind<EventDeliveryDocument>(EventDeliveryModel),
      },
    ),
    events: {
      ...on(userVerified, () => owners.drop()),
      ...on(deliveriesDue, ({ params }) => deliverer.wake(params.subscriptionIds)),
    },
    created() {
      secrets = subscriptionSecretsOf(this.broker);
      wake = wakerOf(this.broker);
      owners = createShareOwners(this.broker, 'events');
      outbound = createServiceClient();
      const shareOf = (workspaceId: number) => owners.ofWorkspace(workspaceId);
      const sender = new Sender({ outbound, secrets, shareOf });
      deliverer = new Deliverer({ sender, switchOff, shareOf });
    },
    async started() {
      deliverer.start();
    },
    async stopped() {
      await Promise.all([deliverer.stop(), bound.stop()]);
      await outbound.close();
    },
  };
}

const idsOf = ({ entries }: Params<'events.wakeDeliveries'>): number[] =>
  entries.map(({ subscriptionId }) => subscriptionId);

const wakerOf = (broker: ServiceBroker) => (subscriptionIds: readonly number[]) =>
  emit(broker, deliveriesDue, { subscriptionIds: [...subscriptionIds] });
