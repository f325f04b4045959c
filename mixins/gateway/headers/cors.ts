import type { IncomingMessage, ServerResponse } from 'node:http';

/** Response headers that a page of another origin may read. */
const EXPOSED =
  'ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-API-KEY, X-Request-Id';

/** Marks the answer for the origins we know, compared whole. Others get no header and their browser refuses. */
export function setCorsHeaders(
  req: IncomingMessage,
  res: ServerResponse,
  origins: ReadonlySet<string>,
): void {
  if (origins.size === 0) return;
  res.setHeader('Vary', 'Origin');
  const { origin } = req.headers;
  if (origin === undefined || !origins.has(origin)) return;
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Expose-Headers', EXPOSED);
}

/** The headers of a preflight's answer: methods and headers that are allowed, and for how many seconds. */
export function preflightHeaders(
  req: IncomingMessage,
  res: ServerResponse,
  allow: string,
): Record<string, string> {
  const isPreflight = req.headers['access-control-request-method'] !== undefined;
  if (!isPreflight || !res.hasHeader('Access-Control-Allow-Origin')) return {};
  return {
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': '600',
  };
}
