import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An event as a receiver got it. */
export interface ReceivedEvent {
  path: string;
  headers: IncomingHttpHeaders;
  /** The text that was sent, which the signature is made of. */
  text: string;
  body: { type: string; timestamp: string; workspaceId: number; data: Record<string, unknown> };
}

/** A receiver of events in the process of the test. It answers 200 unless told otherwise. */
export class EventReceiver {
  readonly received: ReceivedEvent[] = [];
  reply: (event: ReceivedEvent, response: ServerResponse) => void | Promise<void> = (
    _event,
    response,
  ) => {
    response.end('ok');
  };
  readonly #server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    if (body === null) return; // the sender has died meanwhile: no event has come
    const event = {
      path: request.url ?? '',
      headers: request.headers,
      text: body,
      body: JSON.parse(body),
    };
    this.received.push(event);
    await this.reply(event, response);
  });

  static async start(): Promise<EventReceiver> {
    const receiver = new EventReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** The events that came to a path. */
  at = (path: string): ReceivedEvent[] => this.received.filter((event) => event.path === path);
}
