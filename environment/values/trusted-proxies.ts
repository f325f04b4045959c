import { BlockList, isIP } from 'node:net';
import { canonicalAddress } from './ip-address.ts';

const UNKNOWN_ADDRESS = 'unknown';

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');
const CIDR = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i;

/** The proxies whose `X-Forwarded-For` the gateway trusts. */
export class TrustedProxies {
  readonly #ranges = new BlockList();

  /** @param entries CIDR ranges or single addresses; throws a RangeError for anything else. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(entry);
  }

  #add(entry: string): void {
    const [, start = '', prefix] = CIDR.exec(entry) ?? [];
    const bits = isIP(start) === 4 ? 32 : 128;
    if (isIP(start) === 0 || Number(prefix ?? bits) > bits) {
      throw new RangeError(`${JSON.stringify(entry)} is not a CIDR range`);
    }
    this.#ranges.addSubnet(start, Number(prefix ?? bits), familyOf(start));
  }

  /** @param address in canonical form */
  includes(address: string): boolean {
    return this.#ranges.check(address, familyOf(address));
  }

  /**
   * The address of the client behind a peer. Each proxy appends the address of its own peer to
   * `X-Forwarded-For`, so the list is read from the right, up to the first address that is no trusted proxy.
   */
  clientAddress(peer: string | undefined, forwardedFor: string | undefined): string {
    let address = canonicalAddress(peer ?? '') ?? UNKNOWN_ADDRESS;
    let end = forwardedFor?.length ?? 0;
    while (forwardedFor !== undefined && end > 0 && this.includes(address)) {
      const comma = forwardedFor.lastIndexOf(',', end - 1);
      const before = withoutPort(forwardedFor.slice(comma + 1, end).trim());
      const next = canonicalAddress(before);
      if (next === null) break; // not an address, such as `unknown`: the proxy counts as the client
      address = next;
      end = comma;
    }
    return address;
  }
}

/** Removes the port, which some proxies append: `1.2.3.4:5678`, `[2001:db8::1]:5678`. */
function withoutPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}
