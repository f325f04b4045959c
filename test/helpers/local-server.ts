import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** A server in the process of the test, on a free port of this machine. */
export class LocalServer {
  readonly #server: Server;

  constructor(server: Server | http.RequestListener) {
    this.#server = typeof server === 'function' ? http.createServer(server) : server;
  }

  static start<Own extends LocalServer>(this: new () => Own): Promise<Own> {
    return new this().start();
  }

  async start(): Promise<this> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  /** Cuts all connections. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    if (this.#server instanceof http.Server) this.#server.closeAllConnections();
    await once(this.#server.close(), 'close');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }
}
