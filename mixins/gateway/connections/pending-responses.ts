import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const closed = (res: ServerResponse) => new Promise((resolve) => res.once('close', resolve));

/** The responses in flight on each connection. Any other answer on the connection has to be written after them. */
export class PendingResponses {
  readonly #bySocket = new WeakMap<Duplex, Set<ServerResponse>>();

  constructor(server: Server) {
    server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
      const responses = this.#bySocket.get(req.socket) ?? new Set();
      this.#bySocket.set(req.socket, responses.add(res));
      res.once('close', () => responses.delete(res));
    });
  }

  /** Waits for the responses to all requests whose body is complete. */
  async untilComplete(socket: Duplex): Promise<void> {
    await Promise.all(
      this.#responsesOf(socket)
        .filter(({ req }) => req.complete)
        .map(closed),
    );
  }

  /** The response to a request whose body is incomplete; null without such a request. */
  findUnfinished(socket: Duplex): ServerResponse | null {
    return this.#responsesOf(socket).find(({ req }) => !req.complete) ?? null;
  }

  #responsesOf(socket: Duplex): ServerResponse[] {
    return [...(this.#bySocket.get(socket) ?? [])];
  }
}
