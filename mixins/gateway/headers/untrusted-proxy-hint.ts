import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { canonicalAddress } from '../../../environment/values/ip-address.ts';
import { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';

/** Private networks, in which an operator's own load balancer has its address. */
const PRIVATE = new TrustedProxies([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1',
  'fc00::/7',
  'fe80::/10',
]);

/** Warns once about a proxy that `TRUSTED_PROXIES` lacks: all clients of the proxy count as one client. */
export class UntrustedProxyHint {
  readonly #proxies: TrustedProxies;
  readonly #logger: Logger;
  #hasWarned = false;

  constructor(proxies: TrustedProxies, logger: Logger) {
    this.#proxies = proxies;
    this.#logger = logger;
  }

  inspect({ headers, socket }: IncomingMessage): void {
    if (this.#hasWarned || headers['x-forwarded-for'] === undefined) return;
    const peer = canonicalAddress(socket.remoteAddress ?? '');
    if (peer === null || !PRIVATE.includes(peer) || this.#proxies.includes(peer)) return;
    this.#hasWarned = true;
    this.#logger.warn(
      { peer },
      'X-Forwarded-For is not believed: its sender is not in TRUSTED_PROXIES, and its clients count as one',
    );
  }
}
