import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { LocalServer } from './local-server.ts';

/** An event as a receiver got it. */
export interface ReceivedEvent {
  path: string;
  headers: IncomingHttpHeaders;
  /** The text that was sent, which the signature is made of. */
  text: string;
  body: { type: string; timestamp: string; workspaceId: number; data: Record<string, unknown> };
}

/** A receiver of events in the process of the test. It answers 200 unless told otherwise. */
export class EventReceiver extends LocalServer {
  readonly received: ReceivedEvent[] = [];
  reply: (event: ReceivedEvent, response: ServerResponse) => void | Promise<void> = (
    _event,
    response,
  ) => {
    response.end('ok');
  };

  constructor() {
    super(async (request, response) => {
      const body = await text(request).catch(() => null);
      if (body === null) return; // the sender has died meanwhile: no event has come
      const { url: path = '', headers } = request;
      const event = { path, headers, text: body, body: JSON.parse(body) };
      this.received.push(event);
      await this.reply(event, response);
    });
  }

  /** The events that came to a path. */
  at = (path: string): ReceivedEvent[] => this.received.filter((event) => event.path === path);
}
