import type { ActionContract } from '../../../contract/contract.ts';
import { etagOfText, matchesWeakly } from '../../../contract/etag.ts';
import { hasEtag, taggedField } from '../../../contract/etag-rule.ts';
import { splitResult } from '../../../contract/result-headers.ts';
import type { ReadRequest } from '../gateway-request.ts';
import type { Reply } from '../reply.ts';
import { locationOf } from '../routing/location.ts';
import { splitUrl } from '../routing/target.ts';

const MEDIA_TYPE = {
  json: 'application/json; charset=utf-8',
  page: 'application/json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
  html: 'text/html; charset=utf-8',
};

/** The policy of our pages: scripts from this service only, images from `data:` for the reference's icons, no form without a script. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'";

/** The statuses of answers that show a resource. What a DELETE answers is not the resource. */
const SHOWING: ReadonlySet<number> = new Set([200, 201]);

/** Turns the result of an action into a reply; the contract says its status, headers and body. */
export function renderResult(request: ReadRequest, result: unknown): Reply {
  const { contract } = request.route;
  const status = statusOf(contract, result);
  const headers = { 'Cache-Control': 'no-store', ...locationHeader(request, status, result) };
  if (contract.result === null) return { status, headers, body: null };
  const { format = 'json' } = contract;
  if (format === 'events' || format === 'file') throw new TypeError(`${format} is no single reply`);
  const split = splitResult(contract.resultHeaders, result);
  const reply = {
    status,
    headers: {
      ...headers,
      ...split.headers,
      'Content-Type': MEDIA_TYPE[format],
      ...(format === 'html' ? { 'Content-Security-Policy': PAGE_POLICY } : {}),
      ...(contract.protocol === 'oauth' ? { Pragma: 'no-cache' } : {}),
      ...(format === 'page' ? linkHeader(request, result as Page) : {}),
    },
    body: bodyOf(format, split.body),
  };
  return hasEtag(contract) && SHOWING.has(status) && request.route.method !== 'DELETE'
    ? withEtag(request, reply, etagOfText(taggedText(contract, result, reply.body)))
    : reply;
}

/** The text of which the answer's ETag is the hash: the body, or the part of it that is the resource. */
function taggedText(contract: ActionContract, result: unknown, body: string): string {
  const field = taggedField(contract);
  return field === null ? body : JSON.stringify((result as Record<string, unknown>)[field]);
}

/** Adds the ETag. A GET whose `If-None-Match` names the ETag gets 304 (RFC 9110, section 13.1.2). */
function withEtag({ http, route }: ReadRequest, reply: Reply, etag: string): Reply {
  const known = http.headers['if-none-match'];
  if (route.method === 'GET' && known !== undefined && matchesWeakly(known, etag)) {
    return { status: 304, headers: { ETag: etag, 'Cache-Control': 'no-store' }, body: null };
  }
  return { ...reply, headers: { ...reply.headers, ETag: etag } };
}

/** The status of a success, which the contract decides by the result. */
export function statusOf({ status = 200, otherStatus }: ActionContract, result: unknown): number {
  return otherStatus?.when(result as never) ? otherStatus.status : status;
}

function bodyOf(format: keyof typeof MEDIA_TYPE, result: unknown): string {
  if (format === 'json') return JSON.stringify(result);
  return format === 'page' ? JSON.stringify((result as Page).items) : String(result);
}

function locationHeader(
  { route, segments }: ReadRequest,
  status: number,
  result: unknown,
): Record<string, string> {
  if (status !== 201 || !route.location) return {};
  return { Location: locationOf(route.location, route, segments, result as { id: number }) };
}

interface Page {
  items: unknown[];
  after: string | null;
}

/** The `Link` header with the relative reference of the next page (RFC 8288); none after the last page. */
function linkHeader({ http }: ReadRequest, { after }: Page): Record<string, string> {
  if (after === null) return {};
  const [path, search] = splitUrl(http.url ?? '');
  const query = new URLSearchParams(search);
  query.set('after', after);
  query.delete('api_key');
  return { Link: `<${path}?${query}>; rel="next"` };
}
