import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';

/**
 * Raises the lanes of subscriptions, after deliveries of that number were stored. Answers the subscriptions that there are
 * not any more.
 */
export async function raiseLanes(counts: ReadonlyMap<number, number>): Promise<number[]> {
  const ids = [...counts.keys()];
  if (!ids.length) return [];
  const dueAt = databaseClock.date();
  const writes = [...counts].map(([_id, count]) => ({
    updateOne: {
      filter: { _id, removedAt: null },
      update: {
        $min: { 'lane.dueAt': dueAt }, // a lane that is due already has waited since then
        $inc: { 'lane.pending': count, 'lane.raised': 1 },
      },
    },
  }));
  const { matchedCount } = await EventSubscriptionModel.collection.bulkWrite(writes as never[], {
    ordered: false,
  });
  return matchedCount === ids.length ? [] : findRemoved(ids);
}

async function findRemoved(ids: readonly number[]): Promise<number[]> {
  const rows = await EventSubscriptionModel.find({ _id: { $in: ids }, removedAt: null }, { _id: 1 })
    .lean()
    .exec();
  const existing = new Set(rows.map(({ _id }) => _id));
  return ids.filter((id) => !existing.has(id));
}
