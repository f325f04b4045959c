import type { Role } from '../../contract/access-rule.ts';
import { type Position, positionOf } from '../../contract/page-position.ts';
import { cursorOf, type Page, pageFrom } from '../../contract/pages.ts';
import { MemberModel, type RowRole } from '../../models/member.model.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';
import { confirmMemberships } from './members/confirm-memberships.ts';
import type { UserDirectory } from './members/user-directory.ts';

interface Shown {
  id: number;
  name: string;
  role: Role;
}

export interface WorkspacesFound {
  page: Page<Shown>;
  /** Workspaces of memberships that this read has activated, because the event was lost. */
  confirmed: number[];
}

/** The workspaces of a person by id: those that name the person as OWNER, and those with a member's row. */
export async function listWorkspaces(
  userId: number,
  position: Position,
  directory: UserDirectory,
): Promise<WorkspacesFound> {
  const from = positionOf(position);
  const confirmed = await confirmPending(userId, directory);
  const roles = await rolesOf(userId, from, position.limit + 1);
  const ids = [...roles.keys()];
  const names = await namesOf(ids);
  const found = ids.flatMap((id): Shown[] => {
    const name = names.get(id);
    return name === undefined ? [] : [{ id, name, role: roles.get(id) ?? 'OWNER' }];
  });
  const page = pageFrom(
    found,
    position.limit,
    (shown) => shown,
    ({ id }) => cursorOf(id),
  );
  return { page, confirmed };
}

/** The ids of all workspaces of a person. */
export async function listWorkspaceIds(
  userId: number,
  directory: UserDirectory,
): Promise<{ workspaceIds: number[]; confirmed: number[] }> {
  const confirmed = await confirmPending(userId, directory);
  return { workspaceIds: [...(await rolesOf(userId, 0)).keys()], confirmed };
}

/** Whether any workspace names the user, with whatever role, pending or not. */
export async function isUserNamed(userId: number): Promise<boolean> {
  const [row, owned] = await Promise.all([
    MemberModel.exists({ userId }),
    WorkspaceModel.exists({ ownerIds: userId }),
  ]);
  return row !== null || owned !== null;
}

async function confirmPending(userId: number, directory: UserDirectory): Promise<number[]> {
  const isPending = await MemberModel.exists({ userId, pending: true });
  return isPending ? confirmMemberships(userId, directory) : [];
}

/** The person's roles by workspace id, in ascending order; at most `limit` of them. */
async function rolesOf(userId: number, from: number, limit?: number): Promise<Map<number, Role>> {
  const [owned, rows] = await Promise.all([
    WorkspaceModel.find({ ownerIds: userId, _id: { $gt: from } }, { _id: 1 })
      .sort({ _id: 1 })
      .limit(limit ?? 0)
      .lean(),
    MemberModel.find(
      { userId, pending: false, role: { $ne: null }, workspaceId: { $gt: from } },
      { workspaceId: 1, role: 1 },
    )
      .sort({ workspaceId: 1 })
      .limit(limit ?? 0)
      .lean(),
  ]);
  const roles = new Map<number, Role>(
    rows.map(({ workspaceId, role }) => [workspaceId, role as RowRole]),
  );
  for (const { _id } of owned) roles.set(_id, 'OWNER');
  return new Map([...roles].sort(([a], [b]) => a - b).slice(0, limit));
}

async function namesOf(ids: number[]): Promise<Map<number, string>> {
  const found = await WorkspaceModel.find({ _id: { $in: ids } }, { name: 1 }).lean();
  return new Map(found.map(({ _id, name }) => [_id, name]));
}
