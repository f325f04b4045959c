import { busy } from '../../../mixins/changes/document-queue.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Params } from '../../contracts.ts';
import type { WorkspaceDirectory } from '../assignee.ts';
import { findByFingerprint } from '../raise-issue.ts';
import { countFailures } from './count-failures.ts';
import { createForFailures } from './create-for-failures.ts';
import { type FailedRun, type FailureGroup, groupOf } from './failure-group.ts';

/** Attempts to find or create the issue of a group. Another raise or a deletion fails an attempt; then the group is busy. */
const MAX_ATTEMPTS = 10;

/**
 * Counts the failures of runs in their issues: failures with one fingerprint have one issue, and are one change of it.
 * A failure counts once, although an outbox may deliver its entry again. One group that fails stops no other group.
 */
export async function raiseForFailures(
  { entries }: Params<'issues.raiseForFailures'>,
  directory: WorkspaceDirectory,
): Promise<null> {
  const groups = [...Map.groupBy(entries, fingerprintOf)];
  const outcomes = await Promise.allSettled(
    groups.map(([fingerprint, runs]) => raiseForGroup(groupOf(fingerprint, runs), directory)),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return null;
}

async function raiseForGroup(
  group: FailureGroup | null,
  directory: WorkspaceDirectory,
): Promise<void> {
  if (!group || !(await directory.workspaceExists(group.workspaceId))) return;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const issue = await findByFingerprint(group);
    const isCounted = issue
      ? await countFailures(issue, group, directory)
      : await createForFailures(group, directory);
    if (isCounted) return;
  }
  throw busy();
}

const fingerprintOf = ({ workspaceId, fingerprint }: FailedRun): string =>
  hashOf(`failure\n${workspaceId}\n${fingerprint}`);
