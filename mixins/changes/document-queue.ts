import { Busy, Problem } from '../../contract/problem.ts';

/** Changes of one document that may wait in this process; a further one is refused with 503. */
const MAX_QUEUED = 100;
/** Changes of one document by one caller that may wait in this process; a further one is refused with 503. */
const MAX_QUEUED_PER_CALLER = 50;
/** Milliseconds after which a change that still waits is refused with 503. */
const QUEUE_TIMEOUT_MS = 5_000;
/** Seconds after which a refused caller may try again. */
const RETRY_AFTER = 1;

export const busy = (detail = 'Too many requests change this resource at the moment.'): Problem =>
  new Problem(Busy, detail, { retryAfter: RETRY_AFTER });

/** The changes of one document, and the document as the last of them left it. */
export interface Line<D> {
  length: number;
  end: Promise<unknown>;
  latest?: D;
  /** The changes of each caller in the line. */
  readonly ofCallers: Map<string, number>;
}

/** Makes the changes of each document follow one another within this process. */
export class DocumentQueue<D> {
  readonly #lines = new Map<number | string, Line<D>>();

  /** Throws 503 `BUSY`. `caller` tells whose the change is, so that one of them does not fill the line. */
  async run<R>(
    id: number | string,
    caller: string,
    change: (line: Line<D>) => Promise<R>,
  ): Promise<R> {
    const line = this.#lines.get(id) ?? {
      length: 0,
      end: Promise.resolve(),
      ofCallers: new Map(),
    };
    const { ofCallers } = line;
    const ofCaller = ofCallers.get(caller) ?? 0;
    if (line.length >= MAX_QUEUED || ofCaller >= MAX_QUEUED_PER_CALLER) throw busy();
    this.#lines.set(id, line);
    line.length++;
    ofCallers.set(caller, ofCaller + 1);
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
      ofCallers.set(caller, (ofCallers.get(caller) ?? 1) - 1);
      if (line.length === 0) this.#lines.delete(id);
    }
  }
}
