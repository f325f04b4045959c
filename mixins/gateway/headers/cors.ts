import type { IncomingMessage, ServerResponse } from 'node:http';

/** Response headers that a page of another origin may read. */
const EXPOSED = 'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';
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

/** What a preflight asks besides: which methods and headers, for how long (seconds). */
export function setPreflightHeaders(
  req: IncomingMessage,
  res: ServerResponse,
  allow: string,
): void {
  if (!res.hasHeader('Access-Control-Allow-Origin')) return;
  if (req.headers['access-control-request-method'] === undefined) return;
  res.setHeader('Access-Control-Allow-Methods', allow);
  res.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS);
  res.setHeader('Access-Control-Max-Age', '600');
}
