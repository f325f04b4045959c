import { isIP } from 'node:net';
import type { AllowList } from './allow-list.ts';
import { OutboundError } from './errors.ts';

/** Characters of an address; servers take no more either. */
const LONGEST_URL = 16_384;

export const refused = (why: string): OutboundError => new OutboundError('TARGET_REFUSED', why);

/**
 * An absolute `http` or `https` URL without credentials, its fragment gone. `base` is what a
 * redirection is relative to.
 */
export function parseTarget(text: string, base?: URL): URL {
  const url = text.length <= LONGEST_URL ? URL.parse(text, base) : null;
  if (!url) throw refused('The address is not an absolute URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused('Only http and https addresses can be called.');
  }
  if (url.username || url.password) throw refused('The address must not carry credentials.');
  if (text.includes('#')) url.hash = ''; // to set it costs as much as to parse the address
  return url;
}

export const portOf = (url: URL): number =>
  Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

/** The host as a resolver takes it: an IPv6 address without its brackets. */
export const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

export const refusedHost = (host: string): OutboundError =>
  refused(`${host} is not a target that may be called: it is not on the public internet.`);

/**
 * Refuses a URL whose host is itself an address that may not be called. Names are checked when they
 * are resolved; addresses never are, so they are here. The URL parser has already made `0x7f.1` and
 * `127.1` what they are.
 */
export function assertLiteral(url: URL, allowed: AllowList): void {
  const host = bareHost(url);
  if (isIP(host) !== 0 && !allowed.permits(host, url.hostname, portOf(url))) {
    throw refusedHost(url.hostname);
  }
}
