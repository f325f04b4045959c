import { type ChangeContext, systemChange } from '../../../mixins/changes/change-context.ts';
import type { WorkspaceDirectory } from '../assignee.ts';
import type { FailedRun, FailureGroup } from './failure-group.ts';

/** The context of the change by which an issue counts a group. The audit log names the run that failed last. */
export const failureChange = ({ last: { runId } }: FailureGroup): ChangeContext => ({
  ...systemChange('issues', 'issues.raise', { resource: 'issue' }),
  actor: { type: 'run', id: runId, name: 'run' },
  via: 'run',
});

/** Returns the wanted assignee; null when the person is no member any more. */
export async function memberOf(
  { workspaceId, assignedUserId }: FailedRun,
  directory: WorkspaceDirectory,
): Promise<number | null> {
  if (assignedUserId === null) return null;
  return (await directory.isMember(assignedUserId, workspaceId)) ? assignedUserId : null;
}
