import { jobContextOf } from '../../../support/fair-shares/cpu-shares.ts';
import { limitsOfRequests, queueFileCheck } from '../../../support/fair-shares/file-check-queue.ts';
import type { Params } from '../../contracts.ts';
import type { ShareOwners } from '../../share-owners/share-owners.ts';
import { diffTooLarge, tooManyFiles } from '../flows.problems.ts';
import type { StoredFlow } from '../flows.store.ts';
import { getContent } from './versions.ts';

const DIFFS = limitsOfRequests(tooManyFiles);

/** Bytes of a diff as a JSON text. A larger diff is refused: no message between processes has more than 900 KiB. */
const MAX_JSON_BYTES = 800 * 1024;

/**
 * The unified diff of two versions of a flow, made in the turn of the workspace's owner by a child of the sandbox. Throws
 * 404 for an id that is no version of this flow, and 409 for a diff that is too large to be sent.
 */
export async function diffVersions(
  flow: StoredFlow,
  { a, b }: Pick<Params<'flows.diff'>, 'a' | 'b'>,
  owners: Pick<ShareOwners, 'ofWorkspace'>,
): Promise<string> {
  const [from, to] = await Promise.all([getContent(flow, a), getContent(flow, b)]);
  if (from === to) return '';
  const share = await owners.ofWorkspace(flow.workspaceId);
  const names = [`versions/${a}`, `versions/${b}`] as const;
  const diff = await queueFileCheck(share, DIFFS, (files) =>
    files.diff({ from, to, names }, jobContextOf(share)),
  );
  if (Buffer.byteLength(JSON.stringify(diff)) > MAX_JSON_BYTES) throw diffTooLarge();
  return diff;
}
