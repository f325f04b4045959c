import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = [Address, number];

/** Ranges that are never called although `range()` takes them for public addresses. */
const REFUSED = [
  '168.63.129.16/32', // answers the machines of a cloud
  '3ffe::/16', // the 6bone, given back
].map((range) => ipaddr.parseCIDR(range));
/** The IPv6 range that IANA has assigned to public addresses. The rest of IPv6 is special or not in use. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Parses an address from a resolver or a URL and ignores its zone (`%eth0`). Returns null for a text that is no address,
 * and for spellings such as `010.0.0.1`, which Node and other parsers understand differently.
 */
export function parseAddress(text: string): Address | null {
  const bare = text.replace(/%.*$/, '');
  return isIP(bare) === 0 ? null : ipaddr.parse(bare);
}

export const isWithin = (address: Address, [start, bits]: Range): boolean =>
  address.kind() === start.kind() && address.match(start, bits);

/**
 * Tells whether an address is public. Addresses that contain another address (IPv4-mapped, NAT64, 6to4, Teredo,
 * ISATAP) are not public.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) {
    if (!address.match(...GLOBAL_UNICAST_V6) || isIsatap(address)) return false;
  }
  return !REFUSED.some((range) => isWithin(address, range));
}

/** Tells whether the interface identifier is that of ISATAP (RFC 5214, 6.1): an IPv4 address behind `0:5efe`. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean =>
  parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
