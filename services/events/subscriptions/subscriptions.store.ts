import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import {
  type EventSubscriptionDocument,
  EventSubscriptionModel,
} from '../../../models/event-subscription.model.ts';
import { noSubscription } from '../events.problems.ts';

export type StoredSubscription = Shown<
  EventSubscriptionDocument,
  'sealedSecret' | 'quotaSlot' | 'lane' | 'failingSince'
>;

/** The one way to write subscriptions. The lane is written directly, because deliveries change no subscription. */
export const subscriptions = changesOf(EventSubscriptionModel, {
  hidden: ['sealedSecret', 'quotaSlot', 'lane', 'failingSince'],
  missing: noSubscription,
});
