import http from 'node:http';
import type { Person } from './people.ts';
import { waitFor } from './wait.ts';

export interface AnswerEvent<T = Record<string, unknown>> {
  event: string;
  data: T;
  /** The time at which its last byte came, by `performance.now()`. */
  at: number;
}

/** The answer to a POST as server-sent events, read byte for byte. */
export class AnswerEvents {
  readonly events: AnswerEvent[] = [];
  status = 0;
  headers: http.IncomingHttpHeaders = {};
  /** The text of an answer that is no stream. */
  text = '';
  isOver = false;
  readonly #request: http.ClientRequest;
  #rest = '';

  constructor(
    base: string,
    path: string,
    { token }: Pick<Person, 'token'>,
    body: unknown,
    headers = {},
  ) {
    const { hostname, port } = new URL(base);
    this.#request = http.request({
      hostname,
      port,
      path,
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
    });
    this.#request.on('error', () => {
      this.isOver = true;
    });
    this.#request.on('response', (response) => this.#take(response));
    this.#request.end(JSON.stringify(body));
  }

  close(): void {
    this.#request.destroy();
  }

  ofKind = <T = Record<string, unknown>>(event: string): T[] =>
    this.events.filter((each) => each.event === event).map(({ data }) => data as T);

  async until(event: string): Promise<AnswerEvent> {
    return waitFor(`the event ${event}`, () => this.events.find((each) => each.event === event));
  }

  async ended(): Promise<this> {
    await waitFor('the end of the stream', () => this.isOver);
    return this;
  }

  #take(response: http.IncomingMessage): void {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#read(chunk));
    response.on('error', () => undefined);
    response.on('close', () => {
      this.isOver = true;
    });
  }

  #read(chunk: string): void {
    if (this.status !== 200) {
      this.text += chunk;
      return;
    }
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) continue;
      const [event = '', data = '', ...others] = block.split('\n');
      if (!event.startsWith('event: ') || !data.startsWith('data: ') || others.length > 0) {
        throw new Error(`this is no event: ${block}`);
      }
      const at = performance.now();
      this.events.push({ event: event.slice(7), data: JSON.parse(data.slice(6)), at });
    }
  }
}
