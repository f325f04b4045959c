import type { AuthType } from '../../../../models/auth-credential.model.ts';

/** Characters of an origin: a host name has at most 253. */
export const LONGEST_ORIGIN = 300;

/** `scheme://host[:port]`, as people write it: with a `/` at its end or without. */
const FORM = /^https?:\/\/[^\s/?#\\@]+\/?$/iu;
/** The host of a parsed URL: labels in ASCII, or an IPv6 address. A wildcard is no host. */
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])$/;

/**
 * The origin of an absolute http or https URL: scheme, host and port in the form in which origins are compared. The
 * default port is left out, letters are small, the host is in ASCII, and the dot of an absolute host name is left out.
 */
export function originOf({ protocol, hostname, port }: URL): string {
  const host = hostname.replace(/\.$/, '');
  return `${protocol}//${host}${port ? `:${port}` : ''}`;
}

/** The normalised origin; null for a text that is no origin of the scheme http or https. */
export function parseOrigin(text: string): string | null {
  const url = text.length <= LONGEST_ORIGIN && FORM.test(text) ? URL.parse(text) : null;
  if (!url || url.username || url.password) return null;
  return HOST.test(url.hostname.replace(/\.$/, '')) ? originOf(url) : null;
}

interface AllowedTargets {
  authType: AuthType;
  allowedOrigins: readonly string[];
}

/** Whether the credential may be used for the URL. Without a secret and without origins it may be used for every URL. */
export const isAllowedTarget = ({ authType, allowedOrigins }: AllowedTargets, url: URL): boolean =>
  allowedOrigins.includes(originOf(url)) || (authType === 'NONE' && allowedOrigins.length === 0);
