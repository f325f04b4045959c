/** Seconds for which a browser uses https only: a year. */
const HSTS_SECONDS = 31_536_000;

/** The headers of every response. */
export const securityHeaders = (isHttps: boolean): Readonly<Record<string, string>> => ({
  'X-Content-Type-Options': 'nosniff',
  ...(isHttps ? { 'Strict-Transport-Security': `max-age=${HSTS_SECONDS}` } : {}),
});
