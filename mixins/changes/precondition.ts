import { etagOf, matchesStrongly } from '../../contract/etag.ts';
import { PreconditionFailed, Problem } from '../../contract/problem.ts';
import type { ChangeContext } from './change-context.ts';

/** How the interface shows a document: its ETag is the hash of that. */
export type Show<S> = (current: S) => unknown;

/**
 * Throws 412 when the request names another ETag than that of what `show` answers. A resource that is not there, which
 * `show` answers with null, matches nothing, `*` neither (RFC 9110, 13.1.1).
 */
export async function assertMatches<S>(
  current: S,
  { ifMatch, operation }: ChangeContext,
  show: Show<S> | undefined,
): Promise<void> {
  if (ifMatch === undefined) return;
  if (!show) throw new TypeError(`${operation} does not say of what its ETag is`);
  const shown = await show(current);
  if (shown !== null && matchesStrongly(ifMatch, etagOf(shown))) return;
  throw new Problem(
    PreconditionFailed,
    'The resource is not the one that If-Match names any more: read it again.',
  );
}
