import { Busy, Problem } from '../../contract/problem.ts';

/** Changes of one document that may wait in this process; a further one is refused with 503. */
const MAX_QUEUED = 100;
/** Milliseconds after which a change that still waits is refused with 503. */
const QUEUE_TIMEOUT_MS = 5_000;
/** Seconds after which a refused caller may try again. */
const RETRY_AFTER = 1;

export const busy = (): Problem =>
  new Problem(Busy, 'Too many requests change this resource at the moment.', {
    retryAfter: RETRY_AFTER,
  });

/** The changes of one document, and the document as the last of them left it. */
export interface Line<D> {
  length: number;
  end: Promise<unknown>;
  latest?: D;
}

/** Makes the changes of each document follow one another within this process. */
export class DocumentQueue<D> {
  readonly #lines = new Map<number | string, Line<D>>();

  async run<R>(id: number | string, change: (line: Line<D>) => Promise<R>): Promise<R> {
    const line = this.#lines.get(id) ?? { length: 0, end: Promise.resolve() };
    if (line.length >= MAX_QUEUED) throw busy();
    this.#lines.set(id, line);
    line.length++;
    const queuedAt = performance.now();
    const turn = line.end.then(() => {
      if (performance.now() - queuedAt > QUEUE_TIMEOUT_MS) throw busy();
      return change(line);
    });
    line.end = turn.catch(() => undefined); // the caller gets the error from `turn`
    try {
      return await turn;
    } finally {
      line.length--;
      if (line.length === 0) this.#lines.delete(id);
    }
  }
}
