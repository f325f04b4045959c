import type { z } from 'zod';
import { ascendingBy, type PageOrder } from '../../../contract/page-order.ts';
import { type Position, positionOf } from '../../../contract/page-position.ts';
import { type Page, pageFrom } from '../../../contract/pages.ts';
import { readRows } from '../../../mixins/database/read-page.ts';
import { MemberModel } from '../../../models/member.model.ts';
import type { UserWithRole } from '../contract/resources.ts';
import { getWorkspace } from '../get-workspace.ts';
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

/** The members by user id, including OWNERs of the workspace's document without a row. */
export async function listMembers(
  workspaceId: number,
  position: Position,
  directory: UserDirectory,
): Promise<Page<Shown>> {
  positionOf(position); // refuses a wrong cursor before the reads
  const workspace = await getWorkspace(workspaceId);
  const entries = await entriesOf(workspace, position);
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
  return pageFrom(entries, position.limit, show, ascendingBy('userId').cursorOf);
}

/** The entries of a page, and one more entry if the list continues. */
async function entriesOf(workspace: StoredWorkspace, position: Position): Promise<Entry[]> {
  const from = positionOf(position);
  const { _id: workspaceId, ownerIds, pendingOwnerIds } = workspace;
  const filter = {
    workspaceId,
    $or: [{ role: { $ne: null } }, { userId: { $in: [...ownerIds, ...pendingOwnerIds] } }],
  };
  const order: PageOrder<StoredMember> = ascendingBy('userId');
  const { projection } = members;
  const rows = await readRows(MemberModel, { filter, order, position, projection });
  const known = new Set(rows.map(({ userId }) => userId));
  const withoutRow = ownerIds.filter((userId) => userId > from && !known.has(userId));
  return [
    ...rows.map((row) => ({ userId: row.userId, row })),
    ...withoutRow.map((userId) => ({ userId, row: null })),
  ]
    .sort((a, b) => a.userId - b.userId)
    .slice(0, position.limit + 1);
}
