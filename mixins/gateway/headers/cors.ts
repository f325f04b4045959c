import type { IncomingMessage, ServerResponse } from 'node:http';

/** Response headers that a page of another origin may read. */
export const EXPOSED =
  'Accept-Ranges, Content-Disposition, Content-Range, ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Flow-Warnings, X-Membership-Pending, X-Messages-Omitted, X-Request-Id, X-Steps-Omitted';
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, MCP-Protocol-Version, Range, X-API-KEY, X-Request-Id';

/** Sets the CORS headers for a configured origin, compared as a whole. The browser refuses responses to any other origin. */
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

/** The headers of the response to a preflight: allowed methods and headers, and the seconds for which they count. */
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
