import type { EventType } from '../../../contract/outgoing-event.ts';
import {
  type EventSubscriptionDocument,
  EventSubscriptionModel,
} from '../../../models/event-subscription.model.ts';

export type EnabledSubscription = Pick<
  EventSubscriptionDocument,
  '_id' | 'workspaceId' | 'events' | 'lane'
>;

/**
 * The enabled subscriptions of some workspaces, as the database has them now: a subscription counts from the answer that
 * has created it. The event of an earlier change comes as well where that event was not published yet.
 */
export function findEnabled(workspaceIds: readonly number[]): Promise<EnabledSubscription[]> {
  const filter = { workspaceId: { $in: [...new Set(workspaceIds)] }, enabled: true };
  return EventSubscriptionModel.collection
    .find<EnabledSubscription>(filter as never, {
      projection: { workspaceId: 1, events: 1, lane: 1 },
    })
    .toArray();
}

/** The types of events that some enabled subscription of each workspace asks for. */
export async function findWanted(workspaceIds: readonly number[]) {
  const byWorkspace = Map.groupBy(
    await findEnabled(workspaceIds),
    ({ workspaceId }) => workspaceId,
  );
  const wanted = [...byWorkspace].map(([workspaceId, some]) => ({
    workspaceId,
    types: [...new Set<EventType>(some.flatMap(({ events }) => events))],
  }));
  return { wanted };
}
