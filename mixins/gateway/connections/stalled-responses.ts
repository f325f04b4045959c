import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Milliseconds between two checks of the responses in flight. */
const CHECK_MS = 1_000;

/** Cuts connections whose client does not read its response: the response would stay in memory for ever. */
export class StalledResponses {
  readonly #timeoutMs: number;
  readonly #open = new Set<ServerResponse>();
  readonly #stalledSince = new WeakMap<ServerResponse, number>();

  /** @param timeoutMs milliseconds for which a response may wait for its client to read */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  watch(server: Server): void {
    server.on('request', (_req: IncomingMessage, res: ServerResponse) => {
      this.#open.add(res);
      res.once('close', () => this.#open.delete(res));
    });
    const check = setInterval(() => this.#check(performance.now()), CHECK_MS);
    check.unref();
    server.once('close', () => clearInterval(check));
  }

  #check(now: number): void {
    for (const res of this.#open) {
      const since = isWaiting(res) ? (this.#stalledSince.get(res) ?? now) : null;
      if (since === null) this.#stalledSince.delete(res);
      else if (now - since >= this.#timeoutMs) res.destroy();
      else this.#stalledSince.set(res, since);
    }
  }
}

/** Whether bytes of the response wait for the client to read earlier bytes. */
const isWaiting = (res: ServerResponse): boolean =>
  res.writableEnded ? !res.writableFinished : res.writableNeedDrain;
