import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds for which requests are held before the port closes. */
const HOLD_MS = 150;

/**
 * Ends a server without failing a request: keep-alive clients hear `Connection: close` and load balancers
 * that it is not ready, for as long as is given for that; then no new connection is taken, what is in
 * flight ends, and at the deadline the rest is cut.
 *
 * A connection that the kernel has taken and the process has not is reset when the port closes. So
 * requests are held just before: busy clients then wait for an answer instead of connecting anew.
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
    await sleep(this.#noticeMs);
    const hold = Promise.withResolvers<void>();
    this.#held = hold.promise;
    await sleep(HOLD_MS);
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    this.#held = undefined;
    hold.resolve();
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const cut = setTimeout(
      () => server.closeAllConnections(),
      deadlineMs - this.#noticeMs - HOLD_MS,
    );
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
  }
}
