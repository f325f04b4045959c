import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { EventDeliveryModel } from '../../../models/event-delivery.model.ts';
import { OutgoingEventModel } from '../../../models/outgoing-event.model.ts';
import { logger } from '../../../support/logging.ts';
import { WorkLoop } from '../../../support/work-loop.ts';
import type { RecordedBytes } from '../recording/recorded-bytes.ts';
import { REMOVED_FIELDS, type RemovedDelivery, removeWithEvents } from './remove-with-events.ts';

/** Deliveries of one removal; further ones wait until the other workspaces had their turns. */
const BATCH = 1_000;
/** The fewest milliseconds between two removals. A pause of its own length follows a removal that takes longer. */
const MIN_PAUSE_MS = 20;
/** The part of the limit that a workspace records between two removals. */
const TRIMMED_PART = 1 / 20;
/** Workspaces that are remembered. A forgotten workspace is trimmed at its next recording. */
const MAX_WORKSPACES = 10_000;
const ENDED = { $in: ['DELIVERED', 'FAILED'] };

/**
 * Keeps the events of each workspace, with their deliveries, below a number of bytes: the oldest deliveries that have
 * ended are removed in the background, and events with their last delivery. PENDING deliveries stay. Each process trims the
 * workspaces whose events it records.
 */
export class WorkspaceBound {
  readonly #limit: number | null;
  /** The bytes that a workspace had recorded when it was last trimmed. */
  readonly #trimmedAt = new LRUCache<number, number>({ max: MAX_WORKSPACES });
  /** The workspaces to trim, in their turns, with the recorded bytes beyond the limit. */
  readonly #due = new Map<number, number>();
  readonly #loop = new WorkLoop(
    () => this.#trimDue(),
    (error) => logger.error({ err: error }, 'Deliveries beyond the limit are removed later'),
  );

  /** `limit` is in bytes of a workspace; null for no limit. */
  constructor(limit: number | null) {
    this.#limit = limit;
  }

  /** Notes the bytes that workspaces have recorded so far. */
  readonly note = (recorded: RecordedBytes): void => {
    if (this.#limit === null) return;
    for (const [workspaceId, bytes] of recorded) {
      const trimmedAt = this.#trimmedAt.get(workspaceId) ?? 0;
      if (bytes <= Math.max(this.#limit, trimmedAt + this.#limit * TRIMMED_PART)) continue;
      this.#trimmedAt.set(workspaceId, bytes);
      this.#due.set(workspaceId, bytes - this.#limit);
    }
    if (this.#due.size) this.#loop.wake();
  };

  /** Begins no further removal. Resolves when the removal under way has ended. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #trimDue(): Promise<void> {
    while (!this.#loop.isStopped) {
      const [next] = this.#due;
      if (!next) return;
      const began = performance.now();
      await this.#takeTurn(...next);
      await sleep(Math.max(MIN_PAUSE_MS, performance.now() - began), undefined, { ref: false });
    }
  }

  /** Removes a batch. While more may be left, the workspace gets another turn after the others. */
  async #takeTurn(workspaceId: number, beyond: number): Promise<void> {
    const hasMore = await removeBatch(workspaceId, beyond);
    const latest = this.#due.get(workspaceId);
    this.#due.delete(workspaceId);
    if (latest !== undefined && (hasMore || latest > beyond)) this.#due.set(workspaceId, latest);
  }
}

/** Removes the oldest ended deliveries of the events within `beyond` recorded bytes. True where further ones may be left. */
async function removeBatch(workspaceId: number, beyond: number): Promise<boolean> {
  const newest = await OutgoingEventModel.findOne(
    { workspaceId, recorded: { $lte: beyond } },
    { _id: 1 },
  )
    .sort({ recorded: -1 })
    .lean();
  if (!newest) return false;
  const ended = { workspaceId, status: ENDED, eventId: { $lte: newest._id } };
  const rows = await EventDeliveryModel.collection
    .find<RemovedDelivery>(ended as never, { projection: REMOVED_FIELDS })
    .sort({ eventId: 1 })
    .limit(BATCH)
    .toArray();
  if (rows.length) await removeWithEvents(rows, { status: ENDED });
  return rows.length === BATCH;
}
