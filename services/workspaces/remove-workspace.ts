import { WORKSPACE_REMOVAL } from '../../contract/audit.ts';
import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { eventMessage, type OutboxMessage } from '../../mixins/changes/outbox.ts';
import { erasureCalls } from '../erasure-calls.ts';
import { showWorkspace } from './rename-workspace.ts';
import { memberChanged } from './workspaces.events.ts';
import { type StoredWorkspace, workspaces } from './workspaces.store.ts';

/**
 * Deletes a workspace. One write puts a tombstone in its place, by which nobody has a role in the workspace any more,
 * and frees the quota slot of its creator. The tombstone's outbox makes every service remove what belongs to the
 * workspace. `check` refuses the deletion by throwing.
 */
export async function removeWorkspace(
  workspace: StoredWorkspace,
  change: ChangeContext,
  check?: (current: StoredWorkspace) => Promise<void> | void,
): Promise<void> {
  await workspaces.remove(workspace, removalOf(change), {
    show: showWorkspace,
    messages: removalMessages(workspace._id),
    ...(check ? { check } : {}),
  });
}

/** Deletes a workspace if it still has the revision that was read; null otherwise. */
export const tryRemoveWorkspace = (
  workspace: StoredWorkspace,
  change: ChangeContext,
): Promise<true | null> =>
  workspaces.tryRemove(workspace, removalOf(change), removalMessages(workspace._id));

/** The context by which the audit entry of the deletion is recognised, and kept. */
const removalOf = (change: ChangeContext): ChangeContext => ({
  ...change,
  operation: WORKSPACE_REMOVAL,
  audit: { resource: 'workspace' },
});

const removalMessages = (workspaceId: number): OutboxMessage[] => [
  ...erasureCalls('eraseWorkspace', { workspaceId }),
  eventMessage(memberChanged, { workspaceId }),
];
