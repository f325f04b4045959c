import { z } from 'zod';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether secrets may be sent to the address: https, or http to this machine. */
export function isSafeProviderUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
}

/** The address of an identity provider. */
export const providerUrl = z
  .string()
  .refine(isSafeProviderUrl, 'an https:// address, or http:// of a loopback address');
