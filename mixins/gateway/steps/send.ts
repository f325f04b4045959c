import type { ServerResponse } from 'node:http';
import { type GatewayRequest, splitUrl } from '../gateway-request.ts';
import { closeWhenUnread } from '../problem-response.ts';
import { locationOf } from '../routing/location.ts';

const MEDIA_TYPE = {
  json: 'application/json; charset=utf-8',
  page: 'application/json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
};

/** Our pages load their own scripts and styles only; the reference draws its icons from `data:`. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** Sends what an action answered, as its contract says: status, headers, body. */
export function sendResult(req: GatewayRequest, res: ServerResponse, result: unknown): void {
  const { route, segments } = req.match;
  const { contract, location } = route;
  const { otherStatus: other, format = 'json' } = contract;
  res.statusCode = (other?.when(result as never) ? other.status : contract.status) ?? 200;
  if (res.statusCode === 201 && location) {
    res.setHeader('Location', locationOf(location, route, segments, result));
  }
  closeWhenUnread(req, res);
  res.setHeader('Cache-Control', 'no-store');
  if (contract.result === null) {
    if (res.statusCode !== 204) res.setHeader('Content-Length', 0);
    res.end();
    return;
  }
  if (format === 'html') res.setHeader('Content-Security-Policy', PAGE_POLICY);
  const body = format === 'page' ? pageItems(req, res, result as Page) : result;
  const text = format === 'text' || format === 'html' ? String(body) : JSON.stringify(body);
  res.setHeader('Content-Type', MEDIA_TYPE[format]);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(req.method === 'HEAD' ? undefined : text);
}

interface Page {
  items: unknown[];
  after: string | null;
}

function pageItems(req: GatewayRequest, res: ServerResponse, { items, after }: Page): unknown[] {
  if (after !== null) res.setHeader('Link', `<${nextUrl(req, after)}>; rel="next"`);
  return items;
}

/** The same list from the cursor on, as a relative reference (RFC 8288). */
function nextUrl(req: GatewayRequest, after: string): string {
  const [path, search] = splitUrl(req.originalUrl ?? req.url ?? '');
  const query = new URLSearchParams(search);
  query.set('after', after);
  query.delete('api_key');
  return `${path}?${query}`;
}
