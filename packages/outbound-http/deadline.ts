import { OutboundError } from './errors.ts';

/** The longest that a timer of Node waits. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Does `work` within `timeoutMs` and until `given` is aborted. The signal that `work` gets closes
 * whatever it has open; the error says which of the two it was.
 */
export async function within<T>(
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
