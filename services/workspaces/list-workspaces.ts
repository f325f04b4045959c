import type { Role } from '../../contract/access-rule.ts';
import { ascendingBy, type PageOrder } from '../../contract/page-order.ts';
import { type Position, positionOf } from '../../contract/page-position.ts';
import { type Page, pageFrom } from '../../contract/pages.ts';
import { readRows } from '../../mixins/database/read-page.ts';
import { type MemberDocument, MemberModel, type RowRole } from '../../models/member.model.ts';
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
  /** The ids of the workspaces of memberships that this read has activated, because the event was lost. */
  confirmed: number[];
}

/** The workspaces of a person by id: workspaces with the person as OWNER, and workspaces with a row of the person. */
export async function listWorkspaces(
  userId: number,
  position: Position,
  directory: UserDirectory,
): Promise<WorkspacesFound> {
  positionOf(position); // refuses a wrong cursor before a membership is activated
  const confirmed = await confirmPending(userId, directory);
  const roles = await rolesOf(userId, position);
  const ids = [...roles.keys()];
  const names = await namesOf(ids);
  const found = ids.flatMap((id): Shown[] => {
    const name = names.get(id);
    return name === undefined ? [] : [{ id, name, role: roles.get(id) ?? 'OWNER' }];
  });
  const page = pageFrom(found, position.limit, (shown) => shown, ascendingBy('id').cursorOf);
  return { page, confirmed };
}

/** The ids of all workspaces of a person. */
export async function listWorkspaceIds(
  userId: number,
  directory: UserDirectory,
): Promise<{ workspaceIds: number[]; confirmed: number[] }> {
  const confirmed = await confirmPending(userId, directory);
  return { workspaceIds: [...(await rolesOf(userId)).keys()], confirmed };
}

/** Whether any workspace names the user, with any role, pending or not. */
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

const byWorkspace: PageOrder<Pick<MemberDocument, 'workspaceId' | 'role'>> =
  ascendingBy('workspaceId');

/** The person's roles by workspace id, in ascending order: all roles, or the roles of a page and one more role. */
async function rolesOf(userId: number, position?: Position): Promise<Map<number, Role>> {
  const page = position ? { position } : {};
  const [owned, rows] = await Promise.all([
    readRows(WorkspaceModel, {
      filter: { ownerIds: userId },
      order: ascendingBy('_id'),
      projection: { _id: 1 },
      ...page,
    }),
    readRows(MemberModel, {
      filter: { userId, pending: false, role: { $ne: null } },
      order: byWorkspace,
      projection: { workspaceId: 1, role: 1 },
      ...page,
    }),
  ]);
  const roles = new Map<number, Role>(
    rows.map(({ workspaceId, role }) => [workspaceId, role as RowRole]),
  );
  for (const { _id } of owned) roles.set(_id, 'OWNER');
  return new Map([...roles].sort(([a], [b]) => a - b).slice(0, position && position.limit + 1));
}

/** The names of workspaces by id. */
export async function namesOf(ids: number[]): Promise<Map<number, string>> {
  const found = await WorkspaceModel.find({ _id: { $in: ids } }, { name: 1 }).lean();
  return new Map(found.map(({ _id, name }) => [_id, name]));
}
