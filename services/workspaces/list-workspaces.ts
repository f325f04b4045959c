import type { Role } from '../../contract/access-rule.ts';
import { type Position, positionOf } from '../../contract/page-position.ts';
import { cursorOf, type Page, pageFrom } from '../../contract/pages.ts';
import { MemberModel, type RowRole } from '../../models/member.model.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';
import { confirmMemberships } from './members/confirm.ts';
import type { People } from './members/people.ts';

interface Shown {
  id: number;
  name: string;
  role: Role;
}

export interface WorkspacesFound {
  page: Page<Shown>;
  /** Workspaces in which asking let a waiting membership count: the news of it had been lost. */
  confirmed: number[];
}

/** The workspaces that a person is a member of, by id: by its owners' field or by a member's row. */
export async function listWorkspaces(
  userId: number,
  position: Position,
  people: People,
): Promise<WorkspacesFound> {
  const from = positionOf(position);
  const confirmed = await confirmWaiting(userId, people);
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

/** All of them, for what is counted over a person's workspaces. */
export async function workspaceIdsOf(
  userId: number,
  people: People,
): Promise<{ workspaceIds: number[]; confirmed: number[] }> {
  const confirmed = await confirmWaiting(userId, people);
  return { workspaceIds: [...(await rolesOf(userId, 0)).keys()], confirmed };
}

/** Whether any workspace names the user, whatever their role and whether it counts yet. */
export async function isNamed(userId: number): Promise<boolean> {
  const [row, owned] = await Promise.all([
    MemberModel.exists({ userId }),
    WorkspaceModel.exists({ ownerIds: userId }),
  ]);
  return row !== null || owned !== null;
}

async function confirmWaiting(userId: number, people: People): Promise<number[]> {
  const waits = await MemberModel.exists({ userId, pending: true });
  return waits ? confirmMemberships(userId, people) : [];
}

/** The person's roles by workspace, in the order of ids, at most `most`. */
async function rolesOf(userId: number, from: number, most?: number): Promise<Map<number, Role>> {
  const [owned, rows] = await Promise.all([
    WorkspaceModel.find({ ownerIds: userId, _id: { $gt: from } }, { _id: 1 })
      .sort({ _id: 1 })
      .limit(most ?? 0)
      .lean(),
    MemberModel.find(
      { userId, pending: false, role: { $ne: null }, workspaceId: { $gt: from } },
      { workspaceId: 1, role: 1 },
    )
      .sort({ workspaceId: 1 })
      .limit(most ?? 0)
      .lean(),
  ]);
  const roles = new Map<number, Role>(
    rows.map(({ workspaceId, role }) => [workspaceId, role as RowRole]),
  );
  for (const { _id } of owned) roles.set(_id, 'OWNER');
  return new Map([...roles].sort(([a], [b]) => a - b).slice(0, most));
}

async function namesOf(ids: number[]): Promise<Map<number, string>> {
  const found = await WorkspaceModel.find({ _id: { $in: ids } }, { name: 1 }).lean();
  return new Map(found.map(({ _id, name }) => [_id, name]));
}
