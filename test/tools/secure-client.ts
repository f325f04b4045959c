import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import https from 'node:https';
import { text } from 'node:stream/consumers';

/** An answer over TLS, its body parsed where it is JSON. */
export interface SecureAnswer<T = unknown> {
  status: number;
  body: T;
}

export interface SecureRequest {
  token?: string | undefined;
  headers?: Record<string, string>;
  body?: Buffer | object;
}

/** A client of `https://localhost` at a port of this machine, with connections that it uses again. */
export class SecureClient {
  readonly #port: number;
  readonly #ca: string;
  readonly #agent: https.Agent;

  /** @param localAddress from which the client connects, an address of 127.0.0.0/8 */
  constructor(port: number, ca: string, localAddress = '127.0.0.1') {
    this.#port = port;
    this.#ca = ca;
    this.#agent = new https.Agent({ keepAlive: true, ca, localAddress });
  }

  /** Sends a request. Resolves when the headers of the answer have come. */
  open(method: string, path: string, options: SecureRequest = {}): Promise<IncomingMessage> {
    const { token, body } = options;
    const payload = Buffer.isBuffer(body) ? body : body && Buffer.from(JSON.stringify(body));
    const headers = {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body && payload !== body ? { 'content-type': 'application/json' } : {}),
      ...(payload ? { 'content-length': payload.length } : {}),
      ...options.headers,
    };
    const target = { host: '127.0.0.1', servername: 'localhost', port: this.#port, path };
    return new Promise((resolve, reject) => {
      const request = https.request({ ...target, method, headers, agent: this.#agent }, resolve);
      request.on('error', reject);
      request.end(payload);
    });
  }

  async request<T>(
    method: string,
    path: string,
    options: SecureRequest = {},
  ): Promise<SecureAnswer<T>> {
    const answer = await this.open(method, path, options);
    const received = await text(answer);
    const isJson = /json/.test(answer.headers['content-type'] ?? '');
    const body = isJson && received ? JSON.parse(received) : received;
    return { status: answer.statusCode ?? 0, body };
  }

  /** Sends a GET over HTTP/2; resolves with its status. */
  statusOverHttp2(path: string): Promise<number> {
    const session = connectHttp2(`https://localhost:${this.#port}`, { ca: this.#ca });
    return new Promise<number>((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request({ ':path': path });
      stream.on('response', ({ ':status': status }) => resolve(status ?? 0));
      stream.on('error', reject);
      stream.resume();
    }).finally(() => session.close());
  }

  close(): void {
    this.#agent.destroy();
  }
}
