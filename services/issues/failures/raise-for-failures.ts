import { busy } from '../../../mixins/changes/document-queue.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Params } from '../../contracts.ts';
import type { WorkspaceDirectory } from '../assignee.ts';
import { findByFingerprint } from '../raise-issue.ts';
import { countFailures } from './count-failures.ts';
import { commonGroupOf, hasMostIssues } from './common-issue.ts';
import { createForFailures } from './create-for-failures.ts';
import { type FailedRun, type FailureGroup, groupOf } from './failure-group.ts';

/** Attempts to find or create the issue of a group. Another raise or a deletion fails an attempt; then the group is busy. */
const MAX_ATTEMPTS = 10;

/**
 * Counts the failures of runs in their issues: failures with one fingerprint have one issue, and are one change of it.
 * A failure counts once, although an outbox may deliver its entry again. A flow that fails stops no other flow.
 */
export async function raiseForFailures(
  { entries }: Params<'issues.raiseForFailures'>,
  directory: WorkspaceDirectory,
): Promise<null> {
  const flows = [...Map.groupBy(entries, flowKeyOf).values()];
  const outcomes = await Promise.allSettled(flows.map((runs) => raiseForFlow(runs, directory)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return null;
}

/**
 * Counts the failures of one flow, group after group, so that each group counts the issues of those before it. The groups
 * that may have no issue of their own are one change of the common issue.
 */
async function raiseForFlow(
  entries: readonly FailedRun[],
  directory: WorkspaceDirectory,
): Promise<void> {
  const errors: unknown[] = [];
  const without: FailedRun[] = [];
  for (const [fingerprint, runs] of Map.groupBy(entries, fingerprintOf)) {
    const group = groupOf(fingerprint, runs);
    const outcome = await raiseForGroup(group, directory).catch((error: unknown) => ({ error }));
    if (outcome === 'no-issue-left') without.push(...runs);
    else if (outcome !== 'counted') errors.push(outcome.error);
  }
  await raiseForGroup(commonGroupOf(without), directory, { isCommon: true });
  for (const error of errors) throw error;
}

/** Counts a group in its issue. `no-issue-left` tells that the flow has as many issues as it may have. */
async function raiseForGroup(
  group: FailureGroup | null,
  directory: WorkspaceDirectory,
  { isCommon } = { isCommon: false },
): Promise<'counted' | 'no-issue-left'> {
  if (!group || !(await directory.workspaceExists(group.workspaceId))) return 'counted';
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const issue = await findByFingerprint(group);
    if (!issue && !isCommon && (await hasMostIssues(group))) return 'no-issue-left';
    const isCounted = issue
      ? await countFailures(issue, group, directory)
      : await createForFailures(group, directory);
    if (isCounted) return 'counted';
  }
  throw busy();
}

/** Entries without a flow are those of one fingerprint. */
const flowKeyOf = (run: FailedRun): string =>
  `${run.workspaceId} ${run.flowId ?? fingerprintOf(run)}`;

const fingerprintOf = ({ workspaceId, fingerprint }: FailedRun): string =>
  hashOf(`failure\n${workspaceId}\n${fingerprint}`);
