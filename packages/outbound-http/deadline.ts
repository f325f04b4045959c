import { OutboundError } from './errors.ts';

/** Milliseconds of the longest timer of Node. A longer timer fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Runs `work` with a signal that is aborted after `timeoutMs` or when `given` is aborted. The error is then `TIMEOUT`
 * or `ABORTED`.
 */
export async function runWithDeadline<T>(
  timeoutMs: number,
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = (error: OutboundError): void => controller.abort(error);
  const giveUp = (): void => end(new OutboundError('ABORTED', 'The request was given up.'));
  if (given?.aborted) giveUp();
  const timer = setTimeout(
    () => end(new OutboundError('TIMEOUT', `There was no whole answer within ${timeoutMs} ms.`)),
    Math.min(timeoutMs, LONGEST_MS),
  );
  given?.addEventListener('abort', giveUp, { once: true });
  try {
    controller.signal.throwIfAborted();
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    given?.removeEventListener('abort', giveUp);
  }
}
