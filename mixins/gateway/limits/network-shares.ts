import { canonicalAddress, isLoopback, networkOf } from '../../../environment/values/ip-address.ts';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';

/** The part of all places that the clients of one network may hold together. */
const SHARE_OF_NETWORK = 0.5;

/**
 * Bounds the places that one network holds to half of all. Peers that stand for many clients, trusted
 * proxies and this machine, may hold all.
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

  /** Takes a place and returns the function that releases it; null where the network holds its share. */
  take(clientAddress: string | undefined): (() => void) | null {
    const address = canonicalAddress(clientAddress ?? '');
    if (address === null || this.#standsForMany(address)) return () => undefined;
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

  #standsForMany(address: string): boolean {
    return isLoopback(address) || this.#proxies.includes(address);
  }
}
