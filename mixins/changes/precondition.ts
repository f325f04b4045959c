import { etagOf, etagOfFile, matchesStrongly } from '../../contract/etag.ts';
import { PreconditionFailed, Problem } from '../../contract/problem.ts';
import type { ChangeContext } from './change-context.ts';

/** How the interface shows a document: its ETag is the hash of that. */
export type Show<S> = (current: S) => unknown;

/** A document that the interface shows as a file: its ETag is the hash of the bytes. */
export class ShownFile {
  readonly sha256: string;

  constructor(sha256: string) {
    this.sha256 = sha256;
  }
}

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
  const etag = shown instanceof ShownFile ? etagOfFile(shown) : etagOf(shown);
  if (shown !== null && matchesStrongly(ifMatch, etag)) return;
  throw new Problem(
    PreconditionFailed,
    'The resource is not the one that If-Match names any more: read it again.',
  );
}
