import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = [Address, number];

/** Public addresses on which clouds answer their own machines. They are never called. */
const METADATA = [ipaddr.parseCIDR('168.63.129.16/32')];
/** The IPv6 range that IANA has assigned to public addresses. The rest of IPv6 is special or not in use. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Parses an address from a resolver or a URL and ignores its zone (`%eth0`). Returns null for a text that is no address. */
export function parseAddress(text: string): Address | null {
  const bare = text.replace(/%.*$/, '');
  return ipaddr.isValid(bare) ? ipaddr.parse(bare) : null;
}

export const isWithin = (address: Address, [start, bits]: Range): boolean =>
  address.kind() === start.kind() && address.match(start, bits);

/**
 * Tells whether an address is public. Addresses that contain another address (IPv4-mapped, NAT64, 6to4, Teredo) are
 * not public.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv6' && !address.match(...GLOBAL_UNICAST_V6)) return false;
  return !METADATA.some((range) => isWithin(address, range));
}
