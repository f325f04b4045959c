import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';
import { DiagnosticEvent } from '../../../support/diagnostic-event.ts';
import { NetworkShares } from '../limits/network-shares.ts';

/** Milliseconds between two lines of the log about refused connections. */
const LOG_EVERY_MS = 10_000;

/** The open connections of clients, after each change and at the start. */
export const connectionsChanged = new DiagnosticEvent<{ open: number; max: number }>(
  'connections-changed',
);
/** A connection was closed at once, because too many are open. */
export const connectionRefused = new DiagnosticEvent<Record<string, never>>('connection-refused');

/** The part of a socket that the limit uses. */
export interface Connection extends EventEmitter {
  readonly remoteAddress?: string | undefined;
}

/** Bounds the connections of a server, and the share of each client network in them. */
export class ConnectionLimit {
  readonly #max: number;
  readonly #shares: NetworkShares;
  readonly #logger: Logger;
  #open = 0;
  #refused = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(max: number, proxies: TrustedProxies, logger: Logger) {
    this.#max = max;
    this.#shares = new NetworkShares(max, proxies);
    this.#logger = logger;
    this.#count(0);
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

  /** Counts the connection until it closes. False where the client network has its share already. */
  admits(socket: Connection): boolean {
    const release = this.#shares.take(socket.remoteAddress);
    if (!release) return false;
    this.#count(1);
    socket.once('close', () => {
      release();
      this.#count(-1);
    });
    return true;
  }

  #count(change: 1 | 0 | -1): void {
    this.#open += change;
    connectionsChanged.publish({ open: this.#open, max: this.#max });
  }

  #noteRefused(): void {
    this.#refused++;
    connectionRefused.publish({});
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
