import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = [Address, number];

/** Addresses of the public ranges that clouds answer their machines on. */
const METADATA = [ipaddr.parseCIDR('168.63.129.16/32')];
/** All that IANA has given out for the public; the rest of IPv6 is special or not in use. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** An address from a resolver or a URL; null when the text is none. A zone (`%eth0`) does not count. */
export function parseAddress(text: string): Address | null {
  const bare = text.replace(/%.*$/, '');
  return ipaddr.isValid(bare) ? ipaddr.parse(bare) : null;
}

export const isWithin = (address: Address, [start, bits]: Range): boolean =>
  address.kind() === start.kind() && address.match(start, bits);

/**
 * Whether anybody may go there: a public address that stands for itself. Those that carry another
 * one inside (IPv4-mapped, NAT64, 6to4, Teredo) do not.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv6' && !address.match(...GLOBAL_UNICAST_V6)) return false;
  return !METADATA.some((range) => isWithin(address, range));
}
