import { isIP } from 'node:net';
import type { AllowList } from './allow-list.ts';
import { OutboundError } from './errors.ts';

/** Characters of an address. A longer address is `TARGET_REFUSED`; servers do not accept longer addresses either. */
export const LONGEST_URL = 16_384;

export const refusedTargetError = (why: string): OutboundError =>
  new OutboundError('TARGET_REFUSED', why);

/**
 * Parses an absolute `http` or `https` URL without credentials and drops its fragment. `base` is the URL to which a
 * redirection is relative.
 */
export function parseTarget(text: string, base?: URL): URL {
  const url = text.length <= LONGEST_URL ? URL.parse(text, base) : null;
  if (!url) throw refusedTargetError('The address is not an absolute URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refusedTargetError('Only http and https addresses can be called.');
  }
  if (url.username || url.password)
    throw refusedTargetError('The address must not carry credentials.');
  if (text.includes('#')) url.hash = ''; // setting the hash costs as much as parsing the address
  return url;
}

export const portOf = (url: URL): number =>
  Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

/** Returns the host in the notation of resolvers: an IPv6 address without brackets. */
export const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/**
 * The refusal of a host that is not public. It names host and port as the URL has them, and the setting that would allow
 * them; an address that a name was resolved to is not told.
 */
export function refusedHostError(url: URL, { setting }: AllowList): OutboundError {
  const target = `${url.hostname}:${portOf(url)}`;
  const remedy = setting === null ? '' : ` An operator can allow it: ${setting}=${target}.`;
  return refusedTargetError(
    `${target} is not a target that may be called: it is not on the public internet.${remedy}`,
  );
}

/**
 * Throws when the URL's host is an address that must not be called. Names are checked by the lookup, which addresses
 * skip. The URL parser has already converted notations such as `0x7f.1` and `127.1`.
 */
export function assertLiteral(url: URL, allowed: AllowList): void {
  const host = bareHost(url);
  if (isIP(host) !== 0 && !allowed.permits(host, url.hostname, portOf(url))) {
    throw refusedHostError(url, allowed);
  }
}
