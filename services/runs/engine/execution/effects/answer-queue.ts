import { setImmediate } from 'node:timers/promises';
import { FairQueue } from '../../../../../support/fair-shares/fair-queue.ts';
import type { Share } from '../../../../../support/fair-shares/share.ts';

/** Bytes above which an answer or a result is large. A large one is read in its turn, for up to 20 ms of CPU time. */
const LARGE_BYTES = 32 * 1024;
/** Large answers and results that are read at once. The others wait, so that the event loop is free after each. */
const MAX_READS = 1;
/**
 * Large results in memory that wait for an expression; the others stay JSON text, which takes up to twenty times less. As
 * many as keep all expressions busy that the children are handed at once.
 */
const MAX_RESULTS = 8;
/** Milliseconds after which the turn of a result ends, even if no expression has ended. */
const RESULT_TURN_MS = 2_000;

const queueOf = (concurrency: number, isDivided = false): FairQueue => {
  const refusal = () => new Error('the run was interrupted');
  return new FairQueue({ concurrency, isDivided, refusal });
};

interface ReadQueues {
  reads: FairQueue;
  results: FairQueue;
}

/** The turns in which large answers of calls and large results of effects are read in this process. */
export class AnswerQueue {
  readonly #queues: ReadQueues = { reads: queueOf(MAX_READS), results: queueOf(MAX_RESULTS, true) };

  /** Makes the turns of one run. */
  forRun(share: Share): RunAnswers {
    return new RunAnswers(share, this.#queues);
  }
}

/** The turns of the answers and results of one run. */
export class RunAnswers {
  readonly #share: Share;
  readonly #queues: ReadQueues;
  /** The expressions of the run that wait or are evaluated. */
  #expressions = 0;
  /** Called at the end of the next expression. */
  readonly #onExpressionEnd = new Set<() => void>();

  constructor(share: Share, queues: ReadQueues) {
    this.#share = share;
    this.#queues = queues;
  }

  /** Reads an answer; a large answer in its turn. Rejects, without reading, when the signal is aborted before. */
  async read<T>(bytes: number, read: () => T, signal: AbortSignal): Promise<T> {
    if (bytes <= LARGE_BYTES) return read();
    const readNext = async () => {
      await setImmediate(); // other work of the event loop comes first
      return read();
    };
    return this.#queues.reads.run(this.#share, readNext, undefined, signal);
  }

  /**
   * Reads a result for the interpreter. The turn of a large result lasts until an expression of the run, which mostly
   * takes the value, has ended.
   */
  async readResult<T>(bytes: number, read: () => T, signal: AbortSignal): Promise<T> {
    if (bytes <= LARGE_BYTES) return read();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const turn = async () => {
      resolve(await this.read(bytes, read, signal));
      await setImmediate(); // an expression with the value has begun afterwards
      await this.#waitForExpression();
    };
    this.#queues.results.run(this.#share, turn, undefined, signal).catch(reject);
    return promise;
  }

  /** Evaluates an expression of the run. */
  async evaluate<T>(work: () => Promise<T>): Promise<T> {
    this.#expressions++;
    try {
      return await work();
    } finally {
      this.#expressions--;
      const [onEnd] = this.#onExpressionEnd;
      onEnd?.();
    }
  }

  /** Resolves at the end of an expression of the run, at once without expressions, and after `RESULT_TURN_MS`. */
  #waitForExpression(): Promise<void> {
    if (this.#expressions === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#onExpressionEnd.delete(end);
        resolve();
      };
      const timer = setTimeout(end, RESULT_TURN_MS);
      this.#onExpressionEnd.add(end);
    });
  }
}
