import type { ActionContract } from './contract.ts';

/** Whether answers carry an `ETag` and `If-Match` and `If-None-Match` apply; otherwise the reason why not. */
export type EtagRule = true | { none: string };

/** Whether the answer carries an `ETag` of its body. */
export const hasEtag = ({ etag }: Pick<ActionContract, 'etag'>): boolean => etag === true;

/** Whether the action compares the `If-Match` of a request with the ETag of its resource. */
export const takesIfMatch = ({ route, etag }: Pick<ActionContract, 'route' | 'etag'>): boolean =>
  etag === true && /^(?:PUT|DELETE) /.test(route ?? '');

/**
 * Throws for a route that needs an `etag` and has none: each PUT and DELETE, and each GET of a single resource. A page
 * of a list and a public document need none.
 */
export function assertEtag(name: string, contract: ActionContract): void {
  const { route, etag, format, access } = contract;
  const isRead = route?.startsWith('GET ');
  if (etag === true && route?.startsWith('POST ')) {
    throw new TypeError(`${name} is a POST, whose answer has no ETag`);
  }
  const isExempt = isRead && (format === 'page' || access.who === 'public');
  if (etag === undefined && (isRead || /^(?:PUT|DELETE) /.test(route ?? '')) && !isExempt) {
    throw new TypeError(`${name} does not say whether it has an ETag`);
  }
}
