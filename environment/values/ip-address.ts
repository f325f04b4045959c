import { isIP, SocketAddress } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/**
 * The canonical text of an IP address, so that equal addresses are equal texts; null when the text is
 * no address. An IPv4-mapped IPv6 address becomes the IPv4 address, a zone (`%eth0`) is dropped.
 */
export function canonicalAddress(text: string): string | null {
  const zone = text.indexOf('%');
  const bare = zone < 0 ? text : text.slice(0, zone);
  const version = isIP(bare);
  if (version === 0) return null;
  if (version === 4) return bare;
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' });
  return MAPPED.exec(address)?.[1] ?? address;
}

/** @param address in canonical form */
export const isLoopback = (address: string | null): boolean =>
  address === '::1' || address?.startsWith('127.') === true;

/**
 * The network of an address for limits: the /64 of an IPv6 address, because a provider gives each customer at least
 * a whole /64. An IPv4 address is its own network.
 *
 * @param address in canonical form
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const before = head.split(':').filter(Boolean);
  const after = tail?.split(':').filter(Boolean) ?? [];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
