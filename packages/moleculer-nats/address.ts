import type { ConnectionOptions } from 'nats';
import { inboxOf } from './subjects.ts';

/**
 * What `NATS_URL` says: one or more addresses, comma separated, with `user:password@` or `token@`
 * in the first that has one. `tls://` in one of them asks for TLS with all: a server without TLS is refused.
 *
 * @param authorities certificates in PEM that alone are trusted; without them, those that Node.js trusts
 */
export function connectionOf(addresses: string, authorities?: string): ConnectionOptions {
  const urls = addresses.split(',').map((address) => new URL(address.trim()));
  const named = urls.find(({ username }) => username !== '');
  return {
    servers: urls.map(({ host }) => host),
    ...(named ? credentialsOf(named) : {}),
    ...(asksForTls(addresses) ? { tls: authorities ? { ca: authorities } : {} } : {}),
  };
}

function credentialsOf({ username, password }: URL): ConnectionOptions {
  if (password === '') return { token: decodeURIComponent(username) };
  const user = decodeURIComponent(username);
  return { user, pass: decodeURIComponent(password), inboxPrefix: inboxOf(user) };
}

/** Whether every text of the list is an address that can be connected to. */
export function areAddresses(addresses: string): boolean {
  try {
    connectionOf(addresses); // a percent sign that encodes nothing throws
    return addresses.split(',').every((text) => /^(nats|tls):\/\/[^/]/.test(text.trim()));
  } catch {
    return false;
  }
}

/** Whether connections have to be encrypted. */
export const asksForTls = (addresses: string): boolean =>
  addresses.split(',').some((address) => new URL(address.trim()).protocol === 'tls:');

/** Whether whoever connects has to say who they are. */
export const hasCredentials = (addresses: string): boolean =>
  addresses.split(',').some((address) => new URL(address.trim()).username !== '');
