import { makeRoom, type QueueLimits } from '../../support/fair-shares/queue-limits.ts';
import { TurnOrder } from '../../support/fair-shares/turn-order.ts';
import { busy } from './document-queue.ts';

/** Updates of one document that may wait in this process; beyond them the caller with most loses the newest, with 503. */
const MAX_QUEUED = 500;
/** Updates of one document by one caller that may wait in this process; a further one is refused with 503. */
const MAX_QUEUED_PER_CALLER = 250;
/** Milliseconds after which an update that still waits is refused with 503. */
export const QUEUE_TIMEOUT_MS = 5_000;
/** Updates of one write. Each has entries in the outbox of the document; further updates wait for the next write. */
const MAX_GROUP = 100;

const LIMITS: QueueLimits = {
  maxQueued: MAX_QUEUED,
  maxQueuedPerOwner: MAX_QUEUED_PER_CALLER,
  refusal: busy,
};

/** An update that waits for its write. */
interface Waiting<U, R> {
  update: U;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
  refuse: () => void;
  timer: NodeJS.Timeout;
}

/** Writes a group of updates. Returns one outcome for each of them, in their order. */
export type WriteGroup<U, R> = (
  id: number,
  updates: readonly U[],
) => Promise<readonly PromiseSettledResult<R>[]>;

/**
 * Group commit of the updates of each document: those that come while a write is in flight share the next write. Callers take
 * turns, so that no caller's updates fill all groups.
 */
export class GroupCommitQueue<U, R> {
  readonly #write: WriteGroup<U, R>;
  readonly #lines = new Map<number, TurnOrder<Waiting<U, R>>>();

  constructor(write: WriteGroup<U, R>) {
    this.#write = write;
  }

  /** Resolves or rejects with the outcome of this update alone. Throws 503 `BUSY` when too many wait. */
  async run(id: number, caller: string, update: U): Promise<R> {
    const share = { owner: caller, tenant: caller };
    const line = this.#lines.get(id) ?? new TurnOrder();
    makeRoom(share, LIMITS, line);
    const outcome = new Promise<R>((resolve, reject) => {
      const refuse = () => {
        clearTimeout(waiting.timer);
        line.remove(share, waiting);
        reject(busy());
      };
      const timer = setTimeout(refuse, QUEUE_TIMEOUT_MS);
      const waiting = { update, resolve, reject, refuse, timer };
      line.add(share, waiting);
    });
    if (!this.#lines.has(id)) {
      this.#lines.set(id, line);
      setImmediate(() => void this.#drain(id, line)); // updates of one turn share the first write
    }
    return outcome;
  }

  /** Writes one group after another until none waits. */
  async #drain(id: number, line: TurnOrder<Waiting<U, R>>): Promise<void> {
    for (;;) {
      const group = takeGroup(line);
      if (!group.length) break;
      await this.#writeGroup(id, group);
    }
    this.#lines.delete(id);
  }

  /** Gives every update of the group its outcome. Never rejects. */
  async #writeGroup(id: number, group: readonly Waiting<U, R>[]): Promise<void> {
    try {
      const updates = group.map(({ update }) => update);
      const outcomes = await this.#write(id, updates);
      for (const [at, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[at];
        if (outcome?.status === 'fulfilled') resolve(outcome.value);
        else reject(outcome ? outcome.reason : new Error('an update of a group has no outcome'));
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}

/** The next updates in turn. Their write is in flight from now on, so that they do not time out. */
function takeGroup<U, R>(line: TurnOrder<Waiting<U, R>>): Waiting<U, R>[] {
  const group: Waiting<U, R>[] = [];
  while (group.length < MAX_GROUP) {
    const next = line.take({ mayStart: () => true });
    if (!next) break;
    clearTimeout(next.timer);
    group.push(next);
  }
  return group;
}
