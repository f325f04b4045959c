import { canonicalAddress, isLoopback, networkOf } from '../../../environment/values/ip-address.ts';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';

/** The part of all places that one client network may hold. */
const SHARE_OF_NETWORK = 0.5;

/**
 * Bounds the places that one client network holds to half of all places. Trusted proxies and this machine carry
 * requests of many clients and are not bounded.
 */
export class NetworkShares {
  /** Places that one network may hold. */
  readonly max: number;
  readonly #proxies: TrustedProxies;
  readonly #held = new Map<string, number>();

  constructor(places: number, proxies: TrustedProxies) {
    this.max = Math.ceil(places * SHARE_OF_NETWORK);
    this.#proxies = proxies;
  }

  /** Takes a place for a client and answers the function that releases the place. Null where the client's network holds its share. */
  take(clientAddress: string | undefined): (() => void) | null {
    const address = canonicalAddress(clientAddress ?? '');
    if (address === null || this.#isShared(address)) return () => undefined;
    const network = networkOf(address);
    const held = this.#held.get(network) ?? 0;
    if (held >= this.max) return null;
    this.#held.set(network, held + 1);
    return () => this.#release(network);
  }

  #release(network: string): void {
    const held = (this.#held.get(network) ?? 0) - 1;
    if (held > 0) this.#held.set(network, held);
    else this.#held.delete(network);
  }

  #isShared(address: string): boolean {
    return isLoopback(address) || this.#proxies.includes(address);
  }
}
