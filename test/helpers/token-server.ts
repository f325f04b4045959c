import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { LocalServer } from './local-server.ts';

/** A request for a token, as the token server got it. */
export interface ReceivedRequest {
  authorization: string | undefined;
  form: Record<string, string>;
  headers: IncomingMessage['headers'];
  method: string | undefined;
  path: string | undefined;
}

/** What the server answers; nothing at all for `silent`. */
export type TokenReply =
  | { status: number; body: unknown; headers?: Record<string, string> }
  | 'silent'
  | 'cut';

/** A token endpoint in the process of the test. It answers with `access-token-1`, `access-token-2` and so on, unless told otherwise. */
export class TokenServer extends LocalServer {
  readonly requests: ReceivedRequest[] = [];
  /** The largest number of requests that were in flight at once. */
  mostAtOnce = 0;
  reply: (request: ReceivedRequest, n: number) => TokenReply | Promise<TokenReply> = tokenReply;
  #inFlight = 0;

  constructor() {
    super((req, res) => void this.#answer(req, res));
  }

  get url(): string {
    return `${this.origin}/token`;
  }

  /** Forgets the requests, and answers as at the start. */
  reset(): void {
    this.requests.length = 0;
    this.mostAtOnce = 0;
    this.reply = tokenReply;
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    this.#inFlight++;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#inFlight);
    res.once('close', () => this.#inFlight--);
    const { headers, method, url: path } = req;
    const form = Object.fromEntries(new URLSearchParams(await text(req)));
    const request = { authorization: headers.authorization, form, headers, method, path };
    this.requests.push(request);
    const reply = await this.reply(request, this.requests.length);
    if (reply === 'silent') return;
    if (reply === 'cut') return void req.socket.destroy();
    const { status, body } = reply;
    res.writeHead(status, { 'content-type': 'application/json', ...reply.headers });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  }
}

export const tokenReply = (_: unknown, n: number, change: object = {}): TokenReply => ({
  status: 200,
  body: { access_token: `access-token-${n}`, token_type: 'Bearer', expires_in: 3600, ...change },
});
