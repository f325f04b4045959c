import { MongoClient } from 'mongodb';
import type { EventDeliveryDocument } from '../../../../models/event-delivery.model.ts';
import type { EventSubscriptionDocument } from '../../../../models/event-subscription.model.ts';
import type { RunDocument } from '../../../../models/run.model.ts';
import { comes } from '../../../helpers/wait.ts';
import type { Fault } from '../../checks.ts';

/** Milliseconds within which nothing is left to do, the leases and backoffs of attempts included. */
const QUIET_WITHIN_MS = 60_000;

/** Deliveries and outboxes as the database has them. */
export class StoredDeliveries {
  readonly #client: MongoClient;

  constructor(uri: string) {
    this.#client = new MongoClient(uri, { serverSelectionTimeoutMS: 60_000 });
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** Waits until nothing is left to do. Returns what is left after the time for it. */
  async faultsOfQuiet(): Promise<Fault[]> {
    if (await comes(async () => (await this.#findLeft()).length === 0, QUIET_WITHIN_MS)) return [];
    return this.#findLeft();
  }

  async #findLeft(): Promise<string[]> {
    const db = this.#client.db();
    const left: string[] = [];
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
      const outboxes = await db.collection(name).countDocuments({ 'outbox.at': { $exists: true } });
      if (outboxes > 0) left.push(`${outboxes} documents of ${name} have an outbox`);
    }
    const runs = db.collection<RunDocument>('runs');
    const flagged = await runs.countDocuments({ eventsPending: { $gt: 0 } });
    if (flagged > 0) left.push(`${flagged} runs have events to publish`);
    const deliveries = db.collection<EventDeliveryDocument>('event_deliveries');
    const open = await deliveries.find({ status: { $ne: 'DELIVERED' } }).toArray();
    left.push(...open.map((delivery) => `a delivery is left: ${JSON.stringify(delivery)}`));
    const lanes = await db
      .collection<EventSubscriptionDocument>('event_subscriptions')
      .find({ $or: [{ 'lane.dueAt': { $exists: true } }, { 'lane.pending': { $gt: 0 } }] })
      .toArray();
    left.push(...lanes.map(({ _id, lane }) => `lane ${_id} is left: ${JSON.stringify(lane)}`));
    return left;
  }
}
