import http from 'node:http';
import { waitFor } from './wait.ts';

export interface ReceivedEvent<T = unknown> {
  id: number;
  event: string;
  data: T;
}

export interface StreamOptions {
  token?: string;
  headers?: Record<string, string>;
  lastEventId?: number | string;
  /** The number of events after which the stream pauses itself, with at most the rest of one chunk. */
  pauseAfter?: number;
}

/** A stream of server-sent events over real HTTP, read byte for byte. */
export class EventStream {
  readonly events: ReceivedEvent[] = [];
  /** Lines that are no field of an event: comments, and `retry:`. */
  readonly otherLines: string[] = [];
  status = 0;
  headers: http.IncomingHttpHeaders = {};
  /** The text of an answer that is no stream. */
  text = '';
  /** How the response has ended; null while it goes on. */
  end: 'complete' | 'cut' | null = null;
  readonly #request: http.ClientRequest;
  #response: http.IncomingMessage | undefined;
  readonly #pauseAfter: number | undefined;
  #rest = '';

  constructor(base: string, path: string, options: StreamOptions = {}) {
    const { token, headers, lastEventId, pauseAfter } = options;
    this.#pauseAfter = pauseAfter;
    const { hostname, port } = new URL(base);
    this.#request = http.request({
      hostname,
      port,
      path,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
        ...headers,
      },
    });
    this.#request.on('error', () => {
      this.end ??= 'cut';
    });
    this.#request.on('response', (response) => this.#take(response));
    this.#request.end();
  }

  #take(response: http.IncomingMessage): void {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#read(chunk));
    response.on('error', () => undefined);
    response.on('close', () => {
      this.end ??= response.complete ? 'complete' : 'cut';
    });
  }

  #read(chunk: string): void {
    if (this.status !== 200) {
      this.text += chunk;
      return;
    }
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#readBlock(block);
  }

  #readBlock(block: string): void {
    const [id, event, data, ...others] = block.split('\n');
    if (!id?.startsWith('id: ')) {
      this.otherLines.push(...block.split('\n'));
      return;
    }
    if (!event?.startsWith('event: ') || !data?.startsWith('data: ') || others.length > 0) {
      throw new Error(`this is no event: ${block}`);
    }
    this.events.push({
      id: Number(id.slice(4)),
      event: event.slice(7),
      data: JSON.parse(data.slice(6)),
    });
    if (this.events.length === this.#pauseAfter) this.pause();
  }

  /** Stops reading, so that the sender's bytes stay in its buffers. */
  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  close(): void {
    this.#request.destroy();
  }

  /** Waits until the response has ended. */
  async ended(withinMs?: number): Promise<this> {
    await waitFor('the end of the stream', () => this.end !== null, withinMs);
    return this;
  }

  /** Waits for an event that matches. */
  async until(what: string, matches: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent> {
    return waitFor(what, () => this.events.find(matches) ?? null);
  }
}
