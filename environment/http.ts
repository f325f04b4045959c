import { z } from 'zod';
import { rateLimit } from './values/rate-limit.ts';
import { httpUrl, list, optional, wholeNumber, withDefault } from './values/text-values.ts';
import { TrustedProxies } from './values/trusted-proxies.ts';

const origin = z.string().refine((text) => URL.canParse(text) && new URL(text).origin === text, {
  error: 'origins such as https://app.example, comma separated',
});

const trustedProxies = list
  .transform(readProxies)
  .refine((proxies) => proxies !== null, 'CIDR ranges or addresses, comma separated');

function readProxies(entries: readonly string[]): TrustedProxies | null {
  try {
    return new TrustedProxies(entries);
  } catch {
    return null; // an entry is neither a range nor an address
  }
}

/** The variables of the gateway: its address, its allowed origins and proxies, and its limits on clients. */
export const httpVariables = {
  PORT: withDefault(wholeNumber(0, 65_535), '3000'),
  HOST: withDefault(z.string().regex(/^[\w.:-]+$/, 'a host name or address'), '127.0.0.1'),
  PUBLIC_URL: optional(httpUrl),
  CORS_ORIGINS: withDefault(list.pipe(z.array(origin)), ''),
  MAX_CONNECTIONS: withDefault(wholeNumber(1, 1_000_000), '10000'),
  HEADERS_TIMEOUT_MS: withDefault(wholeNumber(1, 600_000), '10000'),
  REQUEST_TIMEOUT_MS: withDefault(wholeNumber(1, 600_000), '30000'),
  RATE_LIMIT: withDefault(rateLimit, '600/60'),
  TRUSTED_PROXIES: withDefault(trustedProxies, ''),
  STOP_NOTICE_MS: optional(wholeNumber(0, 5_000)),
  WAITING_PER_CALLER: withDefault(wholeNumber(1, 100_000), '50'),
  WAITING_PER_PROCESS: withDefault(wholeNumber(1, 100_000), '2000'),
  UPLOADS_PER_CALLER: withDefault(wholeNumber(1, 400), '16'),
  UPLOADS_PER_PROCESS: withDefault(wholeNumber(1, 400), '100'),
  DOWNLOADS_PER_CALLER: withDefault(wholeNumber(1, 400), '16'),
  DOWNLOADS_PER_PROCESS: withDefault(wholeNumber(1, 400), '100'),
};
