import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { LocalServer } from '../../helpers/local-server.ts';
import { type Canary, makeCanaries, withSmallEscapes } from './canaries.ts';

/** A server that repeats what it is sent, in every spelling that it can think of, and issues access tokens. */
export class LeakyServer extends LocalServer {
  /** The access tokens that were issued. */
  readonly tokens: Canary[] = [];
  /**
   * Each request since the last `forget`: headers, query and body. `/last` answers with all of them, also in the shape
   * of a further segment of the path.
   */
  readonly seen: string[] = [];
  /** Seconds for which an access token is valid. */
  tokenSeconds = 60;
  /** Whether requests to `/last` get no answer. */
  isHolding = false;
  /** The number of requests that got no answer. */
  held = 0;

  constructor() {
    super((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.#answer(request, Buffer.concat(chunks).toString(), response));
    });
  }

  forget(): void {
    this.seen.length = 0;
  }

  #answer(request: IncomingMessage, body: string, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url ?? '', this.origin);
    const { host: _, 'idempotency-key': __, traceparent: ___, ...headers } = request.headers;
    const sent = { headers, search, decoded: decode(headers, search), body };
    const text = JSON.stringify(sent);
    const isLast = pathname.startsWith('/last');
    if (isLast && this.isHolding) {
      this.held++;
      return;
    }
    if (!isLast) this.seen.push(text);
    if (pathname === '/token') {
      this.#issueToken(response, text);
      return;
    }
    const repeated = isLast ? this.seen.join('\n') : text;
    const [, kind = '', status = '200'] = pathname.replace('/last', '').split('/');
    response.statusCode = Number(status);
    this.#repeat(kind, repeated, response);
  }

  /** Answers with the text in the shape that the path asks for. */
  #repeat(kind: string, text: string, response: ServerResponse): void {
    const bytes = Buffer.from(text);
    response.setHeader('x-repeated', encodeURIComponent(text).slice(0, 12_000));
    response.setHeader('x-base64', bytes.toString('base64').slice(0, 12_000));
    if (kind === 'packed') response.setHeader('content-encoding', 'gzip');
    if (kind === 'away') {
      response.writeHead(302, { location: `http://localhost:1/?a=${encodeURIComponent(text)}` });
    } else {
      response.setHeader('content-type', JSON_KINDS.has(kind) ? 'application/json' : 'text/plain');
    }
    response.end((BODIES[kind] ?? htmlOf)(text));
  }

  #issueToken(response: ServerResponse, request: string): void {
    const [token] = makeCanaries(1);
    if (token)
      this.tokens.push({ name: `access token ${this.tokens.length}`, secret: token.secret });
    const answer = {
      access_token: token?.secret,
      token_type: 'bearer',
      expires_in: this.tokenSeconds,
      request,
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  }
}

/** The bodies in which the server repeats a text, by the first segment of the path. */
const BODIES: Readonly<Record<string, (text: string) => string | Buffer>> = {
  json: (text) => text,
  keys: (text) => JSON.stringify({ [text]: { [text]: text } }),
  base64: (text) => Buffer.from(text).toString('base64'),
  hex: (text) => Buffer.from(text).toString('hex'),
  uri: (text) => withSmallEscapes(encodeURIComponent(text)),
  broken: (text) => `{"broken": ${text}`,
  packed: (text) => gzipSync(text),
};
const JSON_KINDS = new Set(['json', 'keys', 'broken']);

const htmlOf = (text: string): string => `<p>${text}</p>${JSON.stringify(text)}`;

/** What a server that understands the request knows of its secrets: the decoded Basic header and query. */
function decode(headers: IncomingMessage['headers'], search: string): object {
  const [scheme = '', value = ''] = String(headers.authorization ?? '').split(' ');
  const basic = scheme === 'Basic' ? Buffer.from(value, 'base64').toString() : '';
  return { basic, query: Object.fromEntries(new URLSearchParams(search)) };
}
