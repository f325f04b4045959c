import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Milliseconds between two looks at the bodies under way. A late request is answered within a second of its deadline. */
const CHECK_MS = 500;
/** The error by which Node reports a late request to `clientError`. */
const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

/**
 * Ends requests whose body does not arrive in time, in place of Node's `requestTimeout`, which a server has for all of its
 * requests alike: a file takes longer than a JSON body.
 */
export class BodyDeadlines {
  readonly #timeoutMs: number;
  readonly #since = new Map<IncomingMessage, number>();

  /** @param timeoutMs milliseconds from the headers of a request until its body must have arrived */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Looks at the bodies under way until the server is closed. */
  watch(server: Server): void {
    server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
      if (!hasBody(req)) return;
      this.#since.set(req, performance.now());
      res.once('close', () => this.#since.delete(req));
    });
    const check = setInterval(() => this.#check(server, performance.now()), CHECK_MS);
    check.unref();
    server.once('close', () => clearInterval(check));
  }

  /** Leaves the body of a request to whoever reads it. */
  lift(req: IncomingMessage): void {
    this.#since.delete(req);
  }

  #check(server: Server, now: number): void {
    for (const [req, since] of this.#since) {
      if (!req.complete && now - since < this.#timeoutMs) continue;
      this.#since.delete(req);
      if (req.complete) continue;
      const error = Object.assign(new Error('The body did not arrive in time.'), { code: LATE });
      server.emit('clientError', error, req.socket);
    }
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
