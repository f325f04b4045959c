/** Seconds for which a browser comes by https only: a year. */
const HSTS_SECONDS = 31_536_000;

/** Headers of every answer. */
export const securityHeaders = (isHttps: boolean): Readonly<Record<string, string>> => ({
  'X-Content-Type-Options': 'nosniff',
  ...(isHttps ? { 'Strict-Transport-Security': `max-age=${HSTS_SECONDS}` } : {}),
});
