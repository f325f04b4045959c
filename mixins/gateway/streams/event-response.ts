import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { closeAfterUnreadBody } from '../connections/unread-body.ts';
import { EVENT_STREAM } from '../headers/prefers-events.ts';

/** Milliseconds between two comments on a stream, which show proxies and clients that the connection lives. */
const COMMENT_MS = 15_000;

/** A response of server-sent events. Texts are whole events, so that a comment may come after each. */
export class EventResponse {
  readonly #response: ServerResponse;
  #comments: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Sends the headers; comments follow while nothing else does. */
  begin(): void {
    closeAfterUnreadBody(this.#response);
    this.#response.writeHead(200, {
      'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no', // nginx would collect the events
    });
    this.#response.flushHeaders();
    this.#comments = setInterval(() => this.#comment(), COMMENT_MS);
  }

  /** Writes events, and waits until the client has read what was written, or until the signal is aborted. */
  async write(events: string, endSignal: AbortSignal): Promise<void> {
    if (events === '' || this.#response.write(events)) return;
    await once(this.#response, 'drain', { signal: endSignal }).catch(() => undefined);
  }

  /** Ends the stream, after one more text where one is given. */
  end(text?: string): void {
    clearInterval(this.#comments);
    if (!this.#response.closed) this.#response.end(text);
  }

  /** Writes a comment, unless the client has not read earlier texts yet. */
  #comment(): void {
    if (!this.#response.writableNeedDrain) this.#response.write(':\n\n');
  }
}

/** Makes the signal that is aborted when the response is closed: it was sent, or its client has gone. */
export function closeSignalOf(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  const close = () => closed.abort('closed'); // without a reason, each abort would create an error and its stack
  response.once('close', close);
  if (response.closed) close();
  return closed.signal;
}
