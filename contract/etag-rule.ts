import type { ActionContract } from './contract.ts';

/**
 * Whether answers carry an `ETag` and `If-Match` and `If-None-Match` apply; otherwise the reason why not. With `of` the
 * answer shows the resource in that field, and the ETag is the one of the field's value.
 */
export type EtagRule = true | { of: string } | { none: string };

/** Whether the answer carries an `ETag` of the resource that it shows. */
export const hasEtag = ({ etag }: Pick<ActionContract, 'etag'>): boolean =>
  etag !== undefined && (etag === true || 'of' in etag);

/** The field of the result that shows the resource; null where the whole result does. */
export const taggedField = ({ etag }: Pick<ActionContract, 'etag'>): string | null =>
  typeof etag === 'object' && 'of' in etag ? etag.of : null;

/** Whether the action compares the `If-Match` of a request with the ETag of its resource. */
export const takesIfMatch = ({ route, etag }: Pick<ActionContract, 'route' | 'etag'>): boolean =>
  hasEtag({ etag }) && /^(?:PUT|DELETE) /.test(route ?? '');

/**
 * Throws for a route that needs an `etag` and has none: each PUT and DELETE, and each GET of a single resource. A page
 * of a list and a public document need none.
 */
export function assertEtag(name: string, contract: ActionContract): void {
  const { route, etag, format, access } = contract;
  const isRead = route?.startsWith('GET ');
  if (hasEtag(contract) && route?.startsWith('POST ')) {
    throw new TypeError(`${name} is a POST, whose answer has no ETag`);
  }
  const isExempt = isRead && (format === 'page' || access.who === 'public');
  if (etag === undefined && (isRead || /^(?:PUT|DELETE) /.test(route ?? '')) && !isExempt) {
    throw new TypeError(`${name} does not say whether it has an ETag`);
  }
}
