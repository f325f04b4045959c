import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { canonicalAddress, isLoopback } from './ip-address.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** The part of all connections that one address may hold. */
const SHARE_OF_ADDRESS = 0.5;
/** Milliseconds between two lines of the log about refused connections. */
const LOG_EVERY_MS = 10_000;

/** What the limit needs to know of a socket. */
export interface Connection extends EventEmitter {
  readonly remoteAddress?: string | undefined;
}

/**
 * Bounds the connections of a server, and those of one address to half of them. Peers that stand for
 * many clients, trusted proxies and whatever runs on this machine, may have all.
 */
export class ConnectionLimit {
  readonly #max: number;
  readonly #proxies: TrustedProxies;
  readonly #logger: Logger;
  readonly #byAddress = new Map<string, number>();
  #refused = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(max: number, proxies: TrustedProxies, logger: Logger) {
    this.#max = max;
    this.#proxies = proxies;
    this.#logger = logger;
  }

  apply(server: Server): void {
    server.maxConnections = this.#max;
    server.on('drop', () => this.#noteRefused());
    server.prependListener('connection', (socket: Socket) => {
      if (this.admits(socket)) return;
      socket.destroy();
      this.#noteRefused();
    });
  }

  /** Counts the connection until it closes, or refuses it. */
  admits(socket: Connection): boolean {
    const address = canonicalAddress(socket.remoteAddress ?? '');
    if (address === null || this.#standsForMany(address)) return true;
    const open = this.#byAddress.get(address) ?? 0;
    if (open >= Math.ceil(this.#max * SHARE_OF_ADDRESS)) return false;
    this.#byAddress.set(address, open + 1);
    socket.once('close', () => this.#release(address));
    return true;
  }

  #release(address: string): void {
    const open = (this.#byAddress.get(address) ?? 0) - 1;
    if (open > 0) this.#byAddress.set(address, open);
    else this.#byAddress.delete(address);
  }

  #standsForMany(address: string): boolean {
    return isLoopback(address) || this.#proxies.includes(address);
  }

  #noteRefused(): void {
    this.#refused++;
    const now = performance.now();
    if (now - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = now;
    const connections = this.#refused;
    this.#refused = 0;
    this.#logger.warn(
      { connections, max: this.#max },
      'Connections were refused: too many are open',
    );
  }
}
