import { raiseLanes } from './lanes.ts';

/** Lets a process look at the deliveries of subscriptions that have changed, each once. */
export async function wakeDeliveries(
  subscriptionIds: readonly number[],
  wake: (subscriptionIds: readonly number[]) => Promise<void>,
): Promise<null> {
  const ids = [...new Set(subscriptionIds)];
  await raiseLanes(new Map(ids.map((id) => [id, 0])));
  await wake(ids);
  return null;
}
