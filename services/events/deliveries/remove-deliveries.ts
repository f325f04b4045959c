import { EventDeliveryModel } from '../../../models/event-delivery.model.ts';

/** Deliveries of one removal. Between two removals other work of the database goes on. */
const BATCH = 1_000;

/** Removes the deliveries of subscriptions that were removed. */
export async function removeDeliveries(subscriptionIds: readonly number[]): Promise<null> {
  for (const subscriptionId of new Set(subscriptionIds)) await removeAll(subscriptionId);
  return null;
}

async function removeAll(subscriptionId: number): Promise<void> {
  for (;;) {
    const rows = await EventDeliveryModel.find({ subscriptionId }, { _id: 1 }).limit(BATCH).lean();
    if (!rows.length) return;
    await EventDeliveryModel.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } });
  }
}
