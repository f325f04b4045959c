import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { canonicalAddress } from '../../../environment/values/ip-address.ts';
import { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';

/** Addresses from which a load balancer of one's own reaches a gateway. */
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

/** Tells the operator, once, of a proxy that is not in `TRUSTED_PROXIES`: all its clients count as one. */
export class UntrustedProxyHint {
  readonly #proxies: TrustedProxies;
  readonly #logger: Logger;
  #isTold = false;

  constructor(proxies: TrustedProxies, logger: Logger) {
    this.#proxies = proxies;
    this.#logger = logger;
  }

  inspect({ headers, socket }: IncomingMessage): void {
    if (this.#isTold || headers['x-forwarded-for'] === undefined) return;
    const peer = canonicalAddress(socket.remoteAddress ?? '');
    if (peer === null || !PRIVATE.includes(peer) || this.#proxies.includes(peer)) return;
    this.#isTold = true;
    this.#logger.warn(
      { peer },
      'X-Forwarded-For is not believed: its sender is not in TRUSTED_PROXIES, and its clients count as one',
    );
  }
}
