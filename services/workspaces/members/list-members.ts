import type { z } from 'zod';
import { type Position, positionOf } from '../../../contract/page-position.ts';
import { cursorOf, type Page, pageFrom } from '../../../contract/pages.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { getWorkspace } from '../get-workspace.ts';
import type { UserWithRole } from '../workspaces.contract.ts';
import type { StoredWorkspace } from '../workspaces.store.ts';
import { members, type StoredMember } from './members.store.ts';
import { membershipOf } from './ownership/membership.ts';
import { showPerson } from './show-member.ts';
import { deletedUserOf, type UserDirectory } from './user-directory.ts';

type Shown = z.output<typeof UserWithRole>;
interface Entry {
  userId: number;
  row: StoredMember | null;
}

/** The members by user id. An OWNER of the workspace's document is listed without a row as well. */
export async function listMembers(
  workspaceId: number,
  position: Position,
  directory: UserDirectory,
): Promise<Page<Shown>> {
  const from = positionOf(position);
  const workspace = await getWorkspace(workspaceId);
  const entries = await entriesOf(workspace, from, position.limit + 1);
  const users = await directory.byIds(entries.slice(0, position.limit).map(({ userId }) => userId));
  const show = ({ userId, row }: Entry): Shown => {
    const { role, pending } = membershipOf(workspace, row, userId);
    const user = users.get(userId) ?? deletedUserOf(userId);
    return {
      id: userId,
      ...showPerson(user, { pending, row }),
      role: role ?? 'GUEST',
      joinedAt: (row?.joinedAt ?? workspace.createdAt).toISOString(),
      pending,
    };
  };
  return pageFrom(entries, position.limit, show, ({ userId }) => cursorOf(userId));
}

async function entriesOf(workspace: StoredWorkspace, from: number, most: number): Promise<Entry[]> {
  const { _id: workspaceId, ownerIds, pendingOwnerIds } = workspace;
  const filter = {
    workspaceId,
    userId: { $gt: from },
    $or: [{ role: { $ne: null } }, { userId: { $in: [...ownerIds, ...pendingOwnerIds] } }],
  };
  const rows = await MemberModel.find(filter, members.projection)
    .sort({ userId: 1 })
    .limit(most)
    .lean<StoredMember[]>();
  const known = new Set(rows.map(({ userId }) => userId));
  const withoutRow = ownerIds.filter((userId) => userId > from && !known.has(userId));
  return [
    ...rows.map((row) => ({ userId: row.userId, row })),
    ...withoutRow.map((userId) => ({ userId, row: null })),
  ]
    .sort((a, b) => a.userId - b.userId)
    .slice(0, most);
}
