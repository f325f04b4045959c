import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const closed = (res: ServerResponse) => new Promise((resolve) => res.once('close', resolve));

/** The answers that are under way on each connection: what else is written there comes after them. */
export class OwedAnswers {
  readonly #of = new WeakMap<Duplex, Set<ServerResponse>>();

  constructor(server: Server) {
    server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
      const answers = this.#of.get(req.socket) ?? new Set();
      this.#of.set(req.socket, answers.add(res));
      res.once('close', () => answers.delete(res));
    });
  }

  /**
   * Waits for the answers to all that came whole. Whether something else can be written then: not into
   * the answer to a request that broke while it was read.
   */
  async given(socket: Duplex): Promise<boolean> {
    const answers = [...(this.#of.get(socket) ?? [])];
    await Promise.all(answers.filter(({ req }) => req.complete).map(closed));
    return answers.every(({ req, headersSent }) => req.complete || !headersSent);
  }
}
