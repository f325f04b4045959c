import { AsyncLocalStorage } from 'node:async_hooks';
import { LARGE_WRITE_BYTES } from './large-writes.ts';

/**
 * Milliseconds for which no command starts beside the newest command. Then the next command may start: a commit
 * that waits for a disk or for replication must not delay every write by two commits.
 */
const PIPELINE_DELAY_MS = 5;
/** Commands of a group in flight at once; beyond this number writes wait for an answer. */
const MAX_IN_FLIGHT = 4;
/**
 * Milliseconds for which a command counts as in flight; then other commands pass it, since a half-dead connection
 * fails only when TCP gives up. The driver's server selection takes less.
 */
const IN_FLIGHT_TIMEOUT_MS = 5_000;
/** The most writes of one command; further writes wait for the next command. */
const MAX_WRITES = 100;
/** The most bytes of one command; further writes wait for the next command. */
const MAX_BYTES = 1024 * 1024;

export interface GroupCommitOptions<T, R> {
  /** Carries out a batch. Returns one outcome for each write, in their order. */
  send: (writes: readonly T[]) => Promise<readonly PromiseSettledResult<R>[]>;
  /** Returns the approximate bytes of a write in its command. */
  bytesOf: (write: T) => number;
  /**
   * Whether the error of a command rejects the queued writes as well: they would wait for the same server in vain.
   */
  rejectsQueue?: (error: unknown) => boolean;
}

interface Command {
  /** Ends the delay of the command, and then its time in flight. */
  timer: NodeJS.Timeout;
}

interface QueuedWrite<T, R> {
  write: T;
  bytes: number;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
  /** Runs a function in the asynchronous context of the write. */
  inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/**
 * Group commit: writes that come while a command is in flight share the next command, and its cost.
 * Batches are taken in the order in which the writes came.
 */
export class GroupCommit<T, R> {
  readonly #options: GroupCommitOptions<T, R>;
  readonly #queue: QueuedWrite<T, R>[] = [];
  readonly #inFlight = new Set<Command>();
  /** The newest command, while no other command may start. */
  #newest: Command | null = null;
  #scheduled = false;

  constructor(options: GroupCommitOptions<T, R>) {
    this.#options = options;
  }

  /**
   * Resolves or rejects with the outcome of this write, independent of the other writes. A large write is
   * sent alone at once, so that no other write waits for its bytes.
   */
  add(write: T): Promise<R> {
    const bytes = this.#options.bytesOf(write);
    const inContext = AsyncLocalStorage.snapshot();
    return new Promise((resolve, reject) => {
      const queued = { write, bytes, resolve, reject, inContext };
      if (bytes > LARGE_WRITE_BYTES) void this.#send([queued]);
      else {
        this.#queue.push(queued);
        this.#sendSoon();
      }
    });
  }

  /** Sends the next batch after this turn of the event loop, so that writes of one turn share a command. */
  #sendSoon(): void {
    if (this.#scheduled || !this.#maySend()) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#maySend()) void this.#sendNext();
    });
  }

  #maySend(): boolean {
    return this.#queue.length > 0 && !this.#newest && this.#inFlight.size < MAX_IN_FLIGHT;
  }

  async #sendNext(): Promise<void> {
    const command = { timer: setTimeout(() => this.#endDelay(command), PIPELINE_DELAY_MS) };
    this.#newest = command;
    this.#inFlight.add(command);
    await this.#send(this.#takeBatch());
    this.#endFlight(command);
  }

  #endDelay(command: Command): void {
    const left = IN_FLIGHT_TIMEOUT_MS - PIPELINE_DELAY_MS;
    command.timer = setTimeout(() => this.#endFlight(command), left);
    this.#newest = null;
    this.#sendSoon();
  }

  /** Ends a command's time in flight. A second call, when the answer comes after that time, has no effect. */
  #endFlight(command: Command): void {
    clearTimeout(command.timer);
    this.#inFlight.delete(command);
    if (this.#newest === command) this.#newest = null;
    this.#sendSoon();
  }

  #takeBatch(): QueuedWrite<T, R>[] {
    let bytes = 0;
    let count = 0;
    for (const queued of this.#queue) {
      bytes += queued.bytes;
      if (count === MAX_WRITES || (count > 0 && bytes > MAX_BYTES)) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  /** Gives every write of the batch its outcome. Never rejects. */
  async #send(batch: readonly QueuedWrite<T, R>[]): Promise<void> {
    const [first] = batch;
    if (!first) return;
    try {
      const writes = batch.map(({ write }) => write);
      const outcomes = await first.inContext(this.#options.send, writes);
      for (const [at, queued] of batch.entries()) resolveWrite(queued, outcomes[at]);
    } catch (error) {
      const rejected = this.#options.rejectsQueue?.(error) ? this.#queue.splice(0) : [];
      for (const { reject } of [...batch, ...rejected]) reject(error);
    }
  }
}

function resolveWrite<R>(
  { resolve, reject }: Pick<QueuedWrite<unknown, R>, 'resolve' | 'reject'>,
  outcome: PromiseSettledResult<R> | undefined,
): void {
  if (outcome?.status === 'fulfilled') resolve(outcome.value);
  else reject(outcome ? outcome.reason : new Error('a write of a batch has no outcome'));
}
