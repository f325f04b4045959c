import type { Mask } from './mask.ts';

/**
 * Returns the reason why a redirection must not be followed, or null: another origin must not see a secret that the
 * called server has put into the address.
 */
export function secretRedirect(from: string, to: URL, mask: Pick<Mask, 'maskText'>): string | null {
  const url = URL.parse(from);
  if (url?.origin === to.origin || mask.maskText(to.href) === to.href) return null;
  return `${url?.host ?? 'The server'} redirected the request to an address with a secret of the credential.`;
}
