import { Busy, Problem } from '../../contract/problem.ts';
import { FairQueue } from '../../support/fair-shares/fair-queue.ts';

/** Changes of one document that may wait in this process; beyond them the caller with most waiting changes loses the newest, with 503. */
const MAX_QUEUED = 100;
/** Changes of one document by one caller that may wait in this process; a further one is refused with 503. */
const MAX_QUEUED_PER_CALLER = 50;
/** Milliseconds after which a change that still waits is refused with 503. */
const QUEUE_TIMEOUT_MS = 5_000;
/** Seconds after which a refused caller may try again. */
const RETRY_AFTER = 1;

export const busy = (detail = 'Too many requests change this resource at the moment.'): Problem =>
  new Problem(Busy, detail, { retryAfter: RETRY_AFTER });

const LIMITS = {
  concurrency: 1,
  maxQueued: MAX_QUEUED,
  maxQueuedPerOwner: MAX_QUEUED_PER_CALLER,
  queueTimeoutMs: QUEUE_TIMEOUT_MS,
  refusal: busy,
};

/** The changes of one document, and the document as the last of them left it. */
export interface Line<D> {
  length: number;
  latest?: D;
  /** The waiting changes, in which callers take turns. */
  readonly queue: FairQueue;
}

/** Makes the changes of each document follow one another within this process. Callers take turns. */
export class DocumentQueue<D> {
  readonly #lines = new Map<number | string, Line<D>>();

  /** Throws 503 `BUSY`. `caller` tells whose the change is, so that no caller fills the line for others. */
  async run<R>(
    id: number | string,
    caller: string,
    change: (line: Line<D>) => Promise<R>,
  ): Promise<R> {
    const line = this.#lines.get(id) ?? { length: 0, queue: new FairQueue(LIMITS) };
    this.#lines.set(id, line);
    line.length++;
    try {
      return await line.queue.run({ owner: caller, tenant: caller }, () => change(line));
    } finally {
      line.length--;
      if (line.length === 0) this.#lines.delete(id);
    }
  }
}
