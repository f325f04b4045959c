import type { Server } from 'node:http';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';

/** Milliseconds for which requests are held before the port closes. */
const HOLD_MS = 150;
/** Milliseconds for which requests are held longer while connections come. Then the port closes nevertheless. */
const MAX_ACCEPT_MS = 500;

/**
 * Ends a server without failing a request: keep-alive clients hear `Connection: close` and load balancers
 * that it is not ready, for as long as is given for that; then no new connection is taken, what is in
 * flight ends, and at the deadline the rest is cut.
 *
 * A connection that the kernel has taken and the process has not is reset when the port closes. So
 * requests are held just before: busy clients then wait for an answer instead of connecting anew. The
 * port closes once the process has looked for a connection and found none.
 */
export class Draining {
  readonly #noticeMs: number;
  #begun = false;
  #held: Promise<void> | undefined;

  /** @param noticeMs milliseconds for which connections are still taken once the end has begun */
  constructor(noticeMs: number) {
    this.#noticeMs = noticeMs;
  }

  get begun(): boolean {
    return this.#begun;
  }

  /** What a request waits for before it is handled; nothing, but for a moment at the end. */
  get held(): Promise<void> | undefined {
    return this.#held;
  }

  async drain(server: Server, deadlineMs: number): Promise<void> {
    this.#begun = true;
    if (!server.listening) return;
    const deadlineAt = performance.now() + deadlineMs;
    await sleep(this.#noticeMs);
    const hold = Promise.withResolvers<void>();
    this.#held = hold.promise;
    await sleep(HOLD_MS);
    await allAccepted(server);
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    this.#held = undefined;
    hold.resolve();
    const sweep = setInterval(() => closeIdle(server), 50);
    const cut = setTimeout(() => server.closeAllConnections(), deadlineAt - performance.now());
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

/** Closes connections without a request, once all that has arrived is read. */
const closeIdle = (server: Server) => setImmediate(() => server.closeIdleConnections());

/**
 * Resolves after a turn of the event loop in which no connection came. Node takes one connection in each
 * turn, and reads all that has arrived on the others.
 */
async function allAccepted(server: Server): Promise<void> {
  const until = performance.now() + MAX_ACCEPT_MS;
  let hasAccepted: boolean;
  const accept = () => {
    hasAccepted = true;
  };
  server.on('connection', accept);
  do {
    hasAccepted = false;
    await turn();
  } while (hasAccepted && performance.now() < until);
  server.off('connection', accept);
}
