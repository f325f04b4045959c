import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const closed = (res: ServerResponse) => new Promise((resolve) => res.once('close', resolve));

/** The answers that are under way on each connection: what else is written there comes after them. */
export class PendingResponses {
  readonly #of = new WeakMap<Duplex, Set<ServerResponse>>();

  constructor(server: Server) {
    server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
      const answers = this.#of.get(req.socket) ?? new Set();
      this.#of.set(req.socket, answers.add(res));
      res.once('close', () => answers.delete(res));
    });
  }

  /** Waits for the answers to all requests that came whole. */
  async given(socket: Duplex): Promise<void> {
    await Promise.all(
      this.#answers(socket)
        .filter(({ req }) => req.complete)
        .map(closed),
    );
  }

  /** The answer to a request that broke while its body was read; null when there is none. */
  toBroken(socket: Duplex): ServerResponse | null {
    return this.#answers(socket).find(({ req }) => !req.complete) ?? null;
  }

  #answers(socket: Duplex): ServerResponse[] {
    return [...(this.#of.get(socket) ?? [])];
  }
}
