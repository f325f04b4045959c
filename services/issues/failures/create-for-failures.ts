import { isDuplicateKey } from '../../../mixins/database/database.ts';
import type { WorkspaceDirectory } from '../assignee.ts';
import { issues } from '../issues.store.ts';
import { newIssueOf } from '../new-issue.ts';
import { findFailuresOfOthers } from './common-issue.ts';
import { failuresMessage } from './counted-failures.ts';
import { failureChange, memberOf } from './failure-change.ts';
import { type FailureGroup, runIdsOf, withoutRuns } from './failure-group.ts';
import { appendFailureLines } from './failure-lines.ts';

/**
 * Creates the issue of the failures, without those that a deleted issue or the common one has counted. False when the issue was created
 * meanwhile.
 */
export async function createForFailures(
  group: FailureGroup,
  directory: WorkspaceDirectory,
): Promise<boolean> {
  const fresh = withoutRuns(group, await findFailuresOfOthers(group));
  if (!fresh) return true;
  const { workspaceId, flowId, fingerprint, runs, first, last } = fresh;
  const failures = {
    count: runs.length,
    lastRunId: last.runId,
    lastFailedAt: new Date(last.at),
    ...(flowId === undefined ? {} : { flowId }),
  };
  const fields = {
    workspaceId,
    title: first.title,
    description: appendFailureLines(first.description, failures),
    assignedUserId: await memberOf(last, directory),
  };
  const change = failureChange(fresh);
  try {
    await issues.create(
      { ...newIssueOf(fields, change), fingerprint, failures },
      change,
      (created) => [failuresMessage(runIdsOf(fresh), created)],
    );
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
