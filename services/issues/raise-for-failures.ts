import { systemChange } from '../../mixins/changes/change-context.ts';
import { hashOf } from '../../support/hash.ts';
import type { Params } from '../contracts.ts';
import type { WorkspaceDirectory } from './assignee.ts';
import { raiseIssue } from './raise-issue.ts';

type FailedRun = Params<'issues.raiseForFailures'>['entries'][number];

/**
 * Raises the issues of failed runs. Further failures with the same fingerprint change an open issue no more; one that
 * was resolved or closed is opened again. A failure counts once, although an outbox may deliver an entry again.
 */
export async function raiseForFailures(
  { entries }: Params<'issues.raiseForFailures'>,
  directory: WorkspaceDirectory,
): Promise<null> {
  const groups = Map.groupBy(entries, fingerprintOf);
  await Promise.all(
    [...groups.values()].map(async (runs) => {
      for (const run of runs) await raiseForFailure(run, directory); // changes of one issue
    }),
  );
  return null;
}

async function raiseForFailure(run: FailedRun, directory: WorkspaceDirectory): Promise<void> {
  const { workspaceId, runId, title, description } = run;
  if (!(await directory.workspaceExists(workspaceId))) return;
  const change = {
    ...systemChange('issues', 'issues.raise', { resource: 'issue' }),
    actor: { type: 'run' as const, id: runId, name: 'run' },
    via: 'run' as const,
  };
  const raise = {
    workspaceId,
    raiseId: hashOf(`failure\n${runId}`),
    fingerprint: fingerprintOf(run),
    title,
    description,
    assignedUserId: await memberOf(run, directory),
    keepsOpen: true,
  };
  await raiseIssue(raise, change, directory);
}

/** Returns the wanted assignee; null when the person is no member any more. */
async function memberOf(
  { workspaceId, assignedUserId }: FailedRun,
  directory: WorkspaceDirectory,
): Promise<number | null> {
  if (assignedUserId === null) return null;
  return (await directory.isMember(assignedUserId, workspaceId)) ? assignedUserId : null;
}

const fingerprintOf = ({ workspaceId, fingerprint }: FailedRun): string =>
  hashOf(`failure\n${workspaceId}\n${fingerprint}`);
