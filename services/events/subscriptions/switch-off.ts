import { systemChange } from '../../../mixins/changes/change-context.ts';
import type { WorkspaceHook } from '../../../mixins/lifecycle/erasure-steps.ts';
import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';
import { subscriptionSwitchedOff } from '../events.diagnostics.ts';
import { type StoredSubscription, subscriptions } from './subscriptions.store.ts';
import { wakeMessage } from './update-subscription.ts';

/** Switches a subscription off in the name of the service, and lets the OWNERs of its workspace be mailed, once. */
export async function switchOff(subscriptionId: number, disabledReason: string): Promise<void> {
  const subscription = await subscriptions.find(subscriptionId);
  if (!subscription) return;
  const audit = { resource: 'event-subscription' };
  const change = systemChange('events', 'events.updateSubscription', audit);
  const { workspaceId } = subscription;
  const mail = {
    call: 'workspaces.subscriptionSwitchedOff',
    params: { workspaceId, subscriptionId, reason: disabledReason },
  };
  const messages = [wakeMessage(subscriptionId), mail];
  let isNew = false; // several attempts in flight may ask for the same switch
  const decide = ({ enabled }: StoredSubscription) => {
    isNew = enabled;
    return enabled ? { set: { enabled: false, disabledReason }, messages } : null;
  };
  await subscriptions.change(subscription, decide, change);
  if (isNew) subscriptionSwitchedOff.publish({ subscriptionId });
}

/** Switches the subscriptions of a deleted workspace off, which are removed by the last pass of its erasure. */
export const switchOffWorkspace: WorkspaceHook = async ({ targetId: workspaceId }) => {
  await EventSubscriptionModel.collection.updateMany(
    { workspaceId, enabled: true },
    { $set: { enabled: false, 'lane.dueAt': new Date() }, $inc: { revision: 1, 'lane.raised': 1 } },
  );
  return true;
};
