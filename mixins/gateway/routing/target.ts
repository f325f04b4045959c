import type { IncomingMessage } from 'node:http';
import { NotFound, Problem } from '../../../contract/problem.ts';

/**
 * The path and query of a request. The host of a target in absolute form replaces the Host header (RFC 9112,
 * section 3.2.2). Throws 404 for `*`.
 */
export function pathOf(http: IncomingMessage): string {
  const target = http.url ?? '';
  if (target.startsWith('/')) return target;
  const [, host, path] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(target) ?? [];
  if (host === undefined || path === undefined) {
    throw new Problem(NotFound, 'There is nothing at this path.');
  }
  http.headers.host = host;
  http.url = path.startsWith('/') ? path : `/${path}`;
  return http.url;
}

/** Splits a target into its path and its query, both still percent-encoded. */
export function splitUrl(url: string): [path: string, query: string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}
