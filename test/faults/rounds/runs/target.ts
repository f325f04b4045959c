import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LocalCall } from '../../../helpers/runs.ts';
import type { Fault } from '../../checks.ts';

/** Milliseconds of a call of a flow with a limit, so that calls of several runs are under way at once. */
const LIMITED_MS = 150;

/**
 * The server that the flows of the rounds call. It notes each request and is idempotent: the answer depends on the
 * path alone, except that the first request of each key to `/flaky/…` is refused with 503. It counts how many requests
 * to `/limited/<limit>/…` are under way at once.
 */
export class Target {
  calls: LocalCall[] = [];
  /** The most requests that were under way at once, by the limit. */
  readonly most = new Map<number, number>();
  readonly #underWay = new Map<number, number>();
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
    await once(target.#server.listen(0, '127.0.0.1'), 'listening');
    return target;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The limits beyond which requests were under way. */
  faultsOfLimits(): Fault[] {
    return [...this.most]
      .filter(([limit, most]) => most > limit)
      .map(([limit, most]) => `${most} runs called at once with a limit of ${limit}`);
  }

  #answer({ url = '', method = '', headers }: http.IncomingMessage, response: http.ServerResponse) {
    const key = String(headers['idempotency-key']);
    this.calls.push({ path: url, method, key, headers, body: '' });
    response.setHeader('content-type', 'application/json');
    const [, kind, argument] = url.split('/');
    if (kind === 'flaky' && !this.#refused.has(key)) {
      this.#refused.add(key);
      response.statusCode = 503;
    }
    const answer = () => void response.end(JSON.stringify({ path: url }));
    if (kind !== 'limited') return answer();
    this.#count(Number(argument), response);
    setTimeout(answer, LIMITED_MS).unref();
  }

  #count(limit: number, response: http.ServerResponse): void {
    const change = (by: number): number => {
      const now = (this.#underWay.get(limit) ?? 0) + by;
      this.#underWay.set(limit, now);
      return now;
    };
    this.most.set(limit, Math.max(change(1), this.most.get(limit) ?? 0));
    response.once('close', () => change(-1));
  }
}
