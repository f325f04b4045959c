import { setTimeout as sleep } from 'node:timers/promises';
import { EventDeliveryModel } from '../../../models/event-delivery.model.ts';
import { OutgoingEventModel } from '../../../models/outgoing-event.model.ts';
import { logger } from '../../../support/logging.ts';
import { lruCache } from '../../../support/lru-cache.ts';
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
/** Milliseconds until deliveries beyond the limit that were PENDING are looked at again. */
const REVISIT_MS = 30_000;
const ENDED = { $in: ['DELIVERED', 'FAILED'] };

/**
 * Keeps the events of each workspace, with their deliveries, below a number of bytes: the oldest deliveries that have
 * ended are removed in the background, and events with their last delivery. PENDING deliveries stay until they have ended. Each
 * process trims the workspaces whose events it records.
 */
export class WorkspaceBound {
  readonly #limit: number | null;
  /** The bytes that a workspace had recorded when it was last trimmed. */
  readonly #trimmedAt = lruCache<number, number>(MAX_WORKSPACES);
  /** The workspaces to trim, in their turns, with the recorded bytes beyond the limit. */
  readonly #due = new Map<number, number>();
  /** The workspaces that had PENDING deliveries beyond the limit when they were trimmed. */
  readonly #revisited = new Map<number, number>();
  #revisit: NodeJS.Timeout | undefined;
  readonly #loop = new WorkLoop(
    () => this.#trimDue(),
    (error) => logger.error({ err: error }, 'Deliveries beyond the limit are removed later'),
  );

  readonly #revisitMs: number;

  /** `limit` is in bytes of a workspace; null for no limit. */
  constructor(limit: number | null, revisitMs = REVISIT_MS) {
    this.#limit = limit;
    this.#revisitMs = revisitMs;
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
    clearTimeout(this.#revisit);
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
    const left = await removeBatch(workspaceId, beyond);
    const latest = this.#due.get(workspaceId) ?? beyond;
    this.#due.delete(workspaceId);
    if (left === 'ended' || latest > beyond) this.#due.set(workspaceId, latest);
    else if (left === 'pending') this.#lookAgain(workspaceId, beyond);
  }

  /** A workspace beyond those that are remembered is trimmed at a later recording. */
  #lookAgain(workspaceId: number, beyond: number): void {
    if (this.#revisited.size >= MAX_WORKSPACES) return;
    this.#revisited.set(workspaceId, beyond);
    this.#revisit ??= setTimeout(() => {
      this.#revisit = undefined;
      for (const [id, bytes] of this.#revisited) {
        this.#due.set(id, Math.max(bytes, this.#due.get(id) ?? 0));
      }
      this.#revisited.clear();
      this.#loop.wake();
    }, this.#revisitMs).unref();
  }
}

/**
 * Removes the oldest ended deliveries of the events within `beyond` recorded bytes. Answers what may be left of these events'
 * deliveries; null for none.
 */
async function removeBatch(
  workspaceId: number,
  beyond: number,
): Promise<'ended' | 'pending' | null> {
  const newest = await OutgoingEventModel.findOne(
    { workspaceId, recorded: { $lte: beyond } },
    { _id: 1 },
  )
    .sort({ recorded: -1 })
    .lean();
  if (!newest) return null;
  const eventId = { $lte: newest._id };
  // looked for first, so that a delivery which ends meanwhile is either found as ended or looked for again
  const pending = await EventDeliveryModel.exists({ workspaceId, status: 'PENDING', eventId });
  const rows = await EventDeliveryModel.collection
    .find<RemovedDelivery>({ workspaceId, status: ENDED, eventId } as never, {
      projection: REMOVED_FIELDS,
    })
    .sort({ eventId: 1 })
    .limit(BATCH)
    .toArray();
  if (rows.length) await removeWithEvents(rows, { status: ENDED });
  if (rows.length === BATCH) return 'ended';
  return pending ? 'pending' : null;
}
