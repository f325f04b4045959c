import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LocalCall } from '../../../helpers/runs.ts';

/**
 * The server that the flows of the rounds call. It notes each request and is idempotent: the answer depends on the
 * path alone, except that the first request of each key to `/flaky/…` is refused with 503.
 */
export class Target {
  calls: LocalCall[] = [];
  readonly #refused = new Set<string>();
  readonly #server: http.Server;

  private constructor() {
    this.#server = http.createServer((request, response) => {
      request.resume();
      request.on('end', () => this.#answer(request, response));
    });
  }

  static async start(): Promise<Target> {
    const target = new Target();
    await new Promise<void>((resolve) => target.#server.listen(0, '127.0.0.1', resolve));
    return target;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer({ url = '', method = '', headers }: http.IncomingMessage, response: http.ServerResponse) {
    const key = String(headers['idempotency-key']);
    this.calls.push({ path: url, method, key, headers, body: '' });
    response.setHeader('content-type', 'application/json');
    if (url.startsWith('/flaky/') && !this.#refused.has(key)) {
      this.#refused.add(key);
      response.statusCode = 503;
    }
    response.end(JSON.stringify({ path: url }));
  }
}
