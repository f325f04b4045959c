import { AsyncLocalStorage } from 'node:async_hooks';

/** Commands of a group that are under way at once: one is on its way while another is carried out. */
const LANES = 2;
/** Writes of one command; those beyond wait for the next. */
const MAX_WRITES = 100;
/** Bytes of one command; writes beyond wait for the next. */
const MAX_BYTES = 1024 * 1024;
/** Bytes of a write that shares its command. A larger one is sent alone at once: nobody waits for its bytes. */
const MAX_SHARED_BYTES = 64 * 1024;

export interface GroupCommitOptions<T, R> {
  /** Carries out a batch. Returns one outcome for each write, in their order. */
  send: (writes: readonly T[]) => Promise<readonly PromiseSettledResult<R>[]>;
  /** About how many bytes a write takes in its command. */
  bytesOf: (write: T) => number;
  /** Whether the error of a command is that of all writes that wait: the command has waited for a database in vain. */
  endsWaiting?: (error: unknown) => boolean;
}

interface Waiting<T, R> {
  write: T;
  bytes: number;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
  /** Runs a function in the asynchronous context of the write. */
  inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/**
 * Writes that come while others are under way go together in one command: what a command costs is paid
 * once for all of them. Batches are taken in the order in which the writes came.
 */
export class GroupCommit<T, R> {
  readonly #options: GroupCommitOptions<T, R>;
  readonly #queue: Waiting<T, R>[] = [];
  #inFlight = 0;
  #scheduled = false;

  constructor(options: GroupCommitOptions<T, R>) {
    this.#options = options;
  }

  /** Resolves or rejects with the outcome of this write, whatever becomes of the others. */
  add(write: T): Promise<R> {
    const bytes = this.#options.bytesOf(write);
    const inContext = AsyncLocalStorage.snapshot();
    return new Promise((resolve, reject) => {
      const waiting = { write, bytes, resolve, reject, inContext };
      if (bytes > MAX_SHARED_BYTES) void this.#send([waiting]);
      else {
        this.#queue.push(waiting);
        this.#fillLanesSoon();
      }
    });
  }

  /** After this turn of the event loop: writes of one turn go together. */
  #fillLanesSoon(): void {
    if (this.#scheduled || this.#inFlight === LANES) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#inFlight < LANES && this.#queue.length) void this.#useLane();
    });
  }

  async #useLane(): Promise<void> {
    this.#inFlight++;
    await this.#send(this.#takeBatch());
    this.#inFlight--;
    if (this.#queue.length) this.#fillLanesSoon();
  }

  #takeBatch(): Waiting<T, R>[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#queue) {
      bytes += waiting.bytes;
      if (count === MAX_WRITES || (count > 0 && bytes > MAX_BYTES)) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  /** Gives every write of the batch its outcome. Never rejects. */
  async #send(batch: readonly Waiting<T, R>[]): Promise<void> {
    const [first] = batch;
    if (!first) return;
    try {
      const writes = batch.map(({ write }) => write);
      const outcomes = await first.inContext(this.#options.send, writes);
      for (const [at, waiting] of batch.entries()) settle(waiting, outcomes[at]);
    } catch (error) {
      const waiting = this.#options.endsWaiting?.(error) ? this.#queue.splice(0) : [];
      for (const { reject } of [...batch, ...waiting]) reject(error);
    }
  }
}

function settle<R>(
  { resolve, reject }: Pick<Waiting<unknown, R>, 'resolve' | 'reject'>,
  outcome: PromiseSettledResult<R> | undefined,
): void {
  if (outcome?.status === 'fulfilled') resolve(outcome.value);
  else reject(outcome ? outcome.reason : new Error('a write of a batch has no outcome'));
}
