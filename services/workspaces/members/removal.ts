import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { auditMessage, type OutboxMessage } from '../../../mixins/changes/outbox.ts';
import type { Role } from '../../../contract/access-rule.ts';
import { contextMessages } from '../../../mixins/changes/outgoing-events.ts';
import { withMemberEvent } from './member-events.ts';
import type { Removal } from '../../../models/member.model.ts';
import type { StoredWorkspace } from '../workspaces.store.ts';
import { members, type StoredMember } from './members.store.ts';

/** The request that removes a member. The row stores the request, so that the sweep can finish the removal. */
export const removalBy = (
  { actor, via, operation, requestId }: ChangeContext,
  role: Role | null,
): Removal => ({
  at: new Date(),
  ...(role ? { role } : {}),
  actor,
  via,
  operation,
  requestId,
});

/** A member's row whose removal has begun. */
export type RowInRemoval = StoredMember & { readonly removal: Removal };

export const isBeingRemoved = (row: StoredMember): row is RowInRemoval => row.removal !== undefined;

/** The context of the request that has begun a removal. */
export const contextOf = ({ at: _, role: __, ...begun }: Removal): ChangeContext => ({
  ...begun,
  audit: { resource: 'member' },
});

/**
 * Removes the row of a member whose removal was decided; null when the row was written since it was read.
 * The same write stores the audit entry and the calls that follow a departure.
 */
export const removeRow = (row: RowInRemoval, workspace: StoredWorkspace): Promise<true | null> => {
  const { workspaceId, userId } = row;
  const remaining = workspace.ownerIds.filter((id) => id !== userId);
  const params = { workspaceId, userId, ownerIds: remaining };
  return members.tryRemove(row, toldOf(row, workspace), [
    { call: 'identity.memberLeft', params },
    {
      call: 'workspaces.revokeInvitationsOfFormerMembers',
      params: { workspaceId, userId, givenTo: row.givenTo },
    },
  ]);
};

/** The context of a removal's last write, which tells of it. */
const toldOf = (row: RowInRemoval, workspace: Pick<StoredWorkspace, 'updatedAt'>): ChangeContext =>
  withMemberEvent(
    contextOf(row.removal),
    'member.removed',
    { row, workspace },
    row.removal.role ?? 'GUEST',
  );

/** The messages of a removal whose row is given to a new membership before the removal has ended. */
export function messagesOfRemoval(row: StoredMember): OutboxMessage[] {
  if (!isBeingRemoved(row)) return [];
  const { _id, userId, workspaceId } = row;
  const told = toldOf(row, row); // the time is that of the write of the new membership
  return [
    ...auditMessage(told, { id: userId, workspaceId }, []),
    ...contextMessages(told, _id, workspaceId),
  ];
}
