import { IssueModel } from '../../../models/issue.model.ts';
import { hashOf } from '../../../support/hash.ts';
import { findByFingerprint } from '../raise-issue.ts';
import { findCountedFailures, findRecordedFailures } from './counted-failures.ts';
import { type FailedRun, type FailureGroup, groupOf, runIdsOf } from './failure-group.ts';

/**
 * Open issues of failures of one flow, since the title of an error may be another one in each run. Beyond them new kinds
 * of failures are counted in one common issue of the flow.
 */
export const MAX_OPEN_ISSUES = 100;

/** Whether the flow of a group may have no further open issue of its failures. */
export async function hasMostIssues({
  workspaceId,
  flowId,
}: Pick<FailureGroup, 'workspaceId' | 'flowId'>): Promise<boolean> {
  if (flowId === undefined) return false;
  const filter = {
    workspaceId,
    'failures.flowId': flowId,
    fingerprint: { $ne: commonFingerprintOf(workspaceId, flowId) },
    status: { $in: ['OPEN', 'IN_PROGRESS'] as const },
    removedAt: null,
  };
  const open = await IssueModel.find(filter, { _id: 1 })
    .limit(MAX_OPEN_ISSUES)
    .read('primary')
    .lean();
  return open.length === MAX_OPEN_ISSUES;
}

/** Returns the runs of a group whose failure is recorded, or is counted in the common issue of their flow. */
export async function findFailuresOfOthers(group: FailureGroup): Promise<Set<number>> {
  const { workspaceId, flowId } = group;
  const runIds = runIdsOf(group);
  if (flowId === undefined) return findRecordedFailures(runIds);
  const fingerprint = commonFingerprintOf(workspaceId, flowId);
  const common = await findByFingerprint({ workspaceId, fingerprint });
  return common ? findCountedFailures(runIds, common._id) : findRecordedFailures(runIds);
}

/** The hash by which the common issue of a flow is found. */
const commonFingerprintOf = (workspaceId: number, flowId: number): string =>
  hashOf(`failures of flow\n${workspaceId}\n${flowId}`);

/** The runs as a group whose issue is the common one of their flow; null for no runs. */
export function commonGroupOf(runs: readonly FailedRun[]): FailureGroup | null {
  const [first] = runs;
  if (first?.flowId === undefined) return null;
  const { workspaceId, flowId } = first;
  const fingerprint = commonFingerprintOf(workspaceId, flowId);
  return groupOf(
    fingerprint,
    runs.map((run) => ({ ...run, ...textsOf(flowId, run) })),
  );
}

const textsOf = (flowId: number, { description }: FailedRun) => ({
  title: `Flow ${flowId} failed in further ways`,
  description: `The flow has ${MAX_OPEN_ISSUES} open issues of its failures, so failures of other kinds are counted here. The first of them:\n\n${description}`,
});
