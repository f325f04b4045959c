import { OutboundError } from './errors.ts';

/** Milliseconds of the longest timer of Node. A longer timer fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** The end of a request's time. An `AbortSignal` in its place would take more CPU time of each call. */
export class Deadline {
  #error: OutboundError | null = null;
  #abort: ((error: OutboundError) => void) | null = null;

  /** The reason why the time has ended; null before. */
  get error(): OutboundError | null {
    return this.#error;
  }

  /** Calls `abort` when the time ends, or at once where it has ended. It replaces the function that was given before. */
  onEnd(abort: (error: OutboundError) => void): void {
    this.#abort = abort;
    if (this.#error) abort(this.#error);
  }

  end(error: OutboundError): void {
    if (this.#error) return;
    this.#error = error;
    this.#abort?.(error);
  }
}

/**
 * Runs `work` with a deadline that ends after `timeoutMs` or when `given` is aborted. The error is then `TIMEOUT` or
 * `ABORTED`.
 */
export async function runWithDeadline<T>(
  timeoutMs: number,
  given: AbortSignal | undefined,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = new Deadline();
  const giveUp = (): void =>
    deadline.end(new OutboundError('ABORTED', 'The request was given up.'));
  if (given?.aborted) giveUp();
  const timer = setTimeout(
    () =>
      deadline.end(
        new OutboundError('TIMEOUT', `There was no whole answer within ${timeoutMs} ms.`),
      ),
    Math.min(timeoutMs, LONGEST_MS),
  );
  given?.addEventListener('abort', giveUp, { once: true });
  try {
    if (deadline.error) throw deadline.error;
    return await work(deadline);
  } catch (error) {
    throw deadline.error ?? error;
  } finally {
    clearTimeout(timer);
    given?.removeEventListener('abort', giveUp);
  }
}
