import ipaddr from 'ipaddr.js';
import { type Address, isPublic, isWithin, parseAddress, type Range } from './addresses.ts';

const HOST_AND_PORT = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+):(\d{1,5})$/i;

/** The targets that an operator allows although they are not public. */
export class AllowList {
  readonly #ranges: Range[] = [];
  readonly #hosts = new Set<string>();

  /** The name of the setting that has the entries, for messages; null for none. */
  readonly setting: string | null;

  /** `entries` are ranges (`10.1.0.0/16`) or exact targets (`erp.internal:8080`). Any other entry throws. */
  constructor(entries: readonly string[], setting: string | null = null) {
    this.setting = setting;
    for (const entry of entries) {
      if (ipaddr.isValidCIDR(entry)) this.#ranges.push(ipaddr.parseCIDR(entry));
      else this.#hosts.add(targetOf(entry));
    }
  }

  /** Tells whether the client may connect to `address` for a URL with this `host` (in the URL's notation) and `port`. */
  permits(address: string, host: string, port: number): boolean {
    if (this.#hosts.has(`${host}:${port}`)) return true;
    const parsed = parseAddress(address);
    return parsed !== null && (isPublic(parsed) || this.#includes(parsed));
  }

  #includes(address: Address): boolean {
    return this.#ranges.some((range) => isWithin(address, range));
  }
}

/** Returns an exact target in the notation of the URL parser. */
function targetOf(entry: string): string {
  const [, host, port] = HOST_AND_PORT.exec(entry) ?? [];
  const url = `http://${host}`;
  if (host === undefined || !URL.canParse(url) || !isPort(Number(port))) {
    throw new RangeError(`${JSON.stringify(entry)} is neither a CIDR range nor host:port`);
  }
  return `${new URL(url).hostname}:${Number(port)}`;
}

const isPort = (port: number): boolean => port >= 1 && port <= 65_535;
