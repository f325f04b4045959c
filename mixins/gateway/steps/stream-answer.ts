import type { Readable } from 'node:stream';
import { addAbortSignal } from 'node:stream';
import { Problem, Unavailable } from '../../../contract/problem.ts';
import type { ReadRequest } from '../gateway-request.ts';
import type { Reply } from '../reply.ts';
import { closeSignalOf, EventResponse } from '../streams/event-response.ts';
import { WholeEvents } from '../streams/whole-events.ts';

/** Milliseconds for which a stopping gateway goes on with an answer. Beyond them its client is told that it was cut off. */
const STOP_GRACE_MS = 4_000;

/**
 * Sends the events that an action answers in place of its result. The source is destroyed when the client disconnects.
 * A source that fails ends the stream with `event: error` and the problem that `refuse` makes of the error.
 */
export async function streamAnswer(
  { response, stopping }: ReadRequest,
  source: Readable,
  refuse: (error: unknown) => Reply,
): Promise<void> {
  const closed = closeSignalOf(response);
  const events = new WholeEvents();
  const stream = new EventResponse(response);
  addAbortSignal(closed, source);
  const stop = () => {
    timer = setTimeout(() => source.destroy(cutOff()), STOP_GRACE_MS);
  };
  let timer: NodeJS.Timeout | undefined;
  stopping.addEventListener('abort', stop, { once: true });
  if (stopping.aborted) stop();
  stream.begin();
  try {
    for await (const chunk of source) await stream.write(events.take(chunk), closed);
    stream.end();
  } catch (error) {
    stream.end(closed.aborted ? undefined : `event: error\ndata: ${refuse(error).body}\n\n`);
  } finally {
    stopping.removeEventListener('abort', stop);
    clearTimeout(timer);
  }
}

const cutOff = (): Problem =>
  new Problem(Unavailable, 'The service stops before the answer was complete.', { retryAfter: 1 });
