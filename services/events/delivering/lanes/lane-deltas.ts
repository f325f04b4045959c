import { EventSubscriptionModel } from '../../../../models/event-subscription.model.ts';

/** What has changed of a lane since its holder has last stored it. */
export interface LaneDelta {
  /** Deliveries that have ended. */
  ended: number;
  /** The new time of the first failure since the last success; null for none, undefined without a change. */
  failingSince: Date | null | undefined;
}

/** A lane whose changes are gathered in memory. */
interface Changing {
  readonly id: number;
  /** Takes the changes since the last call; null without any. */
  drainDelta(): LaneDelta | null;
  /** Gives changes back that were not stored. */
  restoreDelta(delta: LaneDelta): void;
}

/** Stores the changes of lanes with one command. Where it fails they are stored the next time. */
export async function writeLaneDeltas(lanes: Iterable<Changing>): Promise<void> {
  const changed = [...lanes].flatMap((lane) => {
    const delta = lane.drainDelta();
    return delta ? [{ lane, delta }] : [];
  });
  if (!changed.length) return;
  try {
    const writes = changed.map(({ lane, delta }) => updateOf(lane.id, delta));
    await EventSubscriptionModel.collection.bulkWrite(writes as never[], { ordered: false });
  } catch (error) {
    for (const { lane, delta } of changed) lane.restoreDelta(delta);
    throw error;
  }
}

const updateOf = (_id: number, { ended, failingSince }: LaneDelta) => ({
  updateOne: {
    filter: { _id, removedAt: null },
    update: {
      $inc: { 'lane.pending': -ended },
      ...(failingSince ? { $set: { failingSince } } : {}),
      ...(failingSince === null ? { $unset: { failingSince: '' } } : {}),
    },
  },
});
