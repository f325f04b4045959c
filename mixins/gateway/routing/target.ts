import type { IncomingMessage } from 'node:http';
import { NotFound, Problem } from '../../../contract/problem.ts';

/**
 * The target of a request, path and query. A server has to take the absolute form as well, and then its
 * authority is the host, whatever the header says (RFC 9112, section 3.2.2). Throws 404 for `*`.
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

/** The path and the query of a target, as they were sent. */
export function splitUrl(url: string): [path: string, query: string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}
