import type { Server } from 'node:http';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';

/** Milliseconds for which requests are held before the port closes. */
const HOLD_MS = 150;
/** Milliseconds for which requests are held longer while new connections arrive. Beyond them the port closes all the same. */
const MAX_ACCEPT_MS = 500;

/**
 * Ends a server without failing a request. During the notice, clients get `Connection: close` and load balancers
 * get "not ready"; then the port closes, requests in flight end, and the deadline cuts the others.
 *
 * Closing the port resets connections that the kernel has accepted and the process has not. Requests are held
 * just before, so that busy clients wait instead of connecting again.
 */
export class Draining {
  readonly #noticeMs: number;
  readonly #begun = new AbortController();
  #hold: Promise<void> | undefined;

  /** @param noticeMs milliseconds of the notice, in which connections are still accepted */
  constructor(noticeMs: number) {
    this.#noticeMs = noticeMs;
  }

  get hasBegun(): boolean {
    return this.#begun.signal.aborted;
  }

  /** Aborted when the draining begins: streams end then, and their clients go on elsewhere. */
  get begun(): AbortSignal {
    return this.#begun.signal;
  }

  /** The promise that a request waits for before it is handled; undefined except just before the port closes. */
  get hold(): Promise<void> | undefined {
    return this.#hold;
  }

  async drain(server: Server, deadlineMs: number): Promise<void> {
    this.#begun.abort();
    if (!server.listening) return;
    const deadlineAt = performance.now() + deadlineMs;
    await sleep(this.#noticeMs);
    const hold = Promise.withResolvers<void>();
    this.#hold = hold.promise;
    await sleep(HOLD_MS);
    await allAccepted(server);
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    this.#hold = undefined;
    hold.resolve();
    const sweep = setInterval(() => closeIdle(server), 50);
    const cut = setTimeout(() => server.closeAllConnections(), deadlineAt - performance.now());
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

/** Closes connections without a request, after the bytes that have arrived are read. */
const closeIdle = (server: Server) => setImmediate(() => server.closeIdleConnections());

/**
 * Resolves after a turn of the event loop without a new connection. Node accepts one connection in each turn, and
 * reads the bytes of the others.
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
