import type { Connector } from './interim-answers.ts';

/**
 * Connections of a client, idle ones included. From this number on a request closes its connection after its answer, so
 * that calls to ever more servers leave no more idle connections.
 */
const MOST_KEPT = 512;

/** Counts the connections of a client. */
export class OpenConnections {
  #count = 0;

  /** Whether a further connection may stay open after its answer. */
  get mayKeep(): boolean {
    return this.#count < MOST_KEPT;
  }

  /** Makes a connector whose connections are counted from their beginning to their end. */
  count(connect: Connector): Connector {
    return (target, callback) => {
      const socket = connect(target, callback);
      this.#count++;
      socket.once('close', () => this.#count--);
      return socket;
    };
  }
}
