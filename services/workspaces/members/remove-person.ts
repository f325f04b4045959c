import { emailKey } from '../../../contract/fields.ts';
import { isProblem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';
import type { Params } from '../../contracts.ts';
import { tryRemoveWorkspace } from '../remove-workspace.ts';
import { LastOwner, onlyOwner } from '../workspaces.problems.ts';
import { type StoredWorkspace, workspaces } from '../workspaces.store.ts';
import { SYSTEM } from './authority.ts';
import { rowOf } from './members.store.ts';
import { isOwnerOrPending } from './ownership/owners.ts';
import { endAndRemove } from './remove-member.ts';
import type { UserDirectory } from './user-directory.ts';

type Request = NonNullable<Params<'workspaces.removePerson'>['by']>;

interface PersonRemoval {
  userId: number;
  /** The request of the deletion, for the audit log. */
  by: Request;
  /** Gets the ids of the workspaces that the removal changes. */
  changed: number[];
}

/** Rows of other members that are compared with the directory at once; further rows take another batch. */
const BATCH_SIZE = 500;

/** Throws 409 while the person is the only OWNER of a workspace with other members. Changes nothing. */
export async function assertRemovable(userId: number, directory: UserDirectory): Promise<void> {
  for (const workspace of await findSoleOwned(userId)) {
    if (await hasOtherMember(workspace, userId, directory)) throw onlyOwner(workspace._id);
  }
}

/**
 * Ends the memberships of a person: ownership first, so that the 409 of a race with another OWNER ends as few
 * memberships as possible. Each end is decided by a conditional write of the workspace (`owners.ts`). A repeated
 * call goes on.
 */
export async function removePerson(
  { userId, by, changed }: PersonRemoval,
  directory: UserDirectory,
): Promise<void> {
  for (const workspaceId of await findWorkspaceIds(userId)) {
    changed.push(workspaceId);
    while (!(await endIn(workspaceId, { userId, by }, directory)));
  }
}

/** Ends one membership; false when the workspace has changed since the read. */
async function endIn(
  workspaceId: number,
  { userId, by }: Pick<PersonRemoval, 'userId' | 'by'>,
  directory: UserDirectory,
): Promise<boolean> {
  const workspace = await workspaces.find(workspaceId);
  if (!workspace) return true;
  if (isSoleOwner(workspace, userId)) {
    if (await hasOtherMember(workspace, userId, directory)) throw onlyOwner(workspaceId);
    const change = { ...by, audit: { resource: 'workspace' } };
    return (await tryRemoveWorkspace(workspace, change)) !== null;
  }
  const row = await rowOf(workspaceId, userId);
  if (!row && !isOwnerOrPending(workspace, userId)) return true;
  const context: ChangeContext = { ...by, audit: { resource: 'member' } };
  try {
    return await endAndRemove({ row, workspace }, { userId, authority: SYSTEM, context });
  } catch (error) {
    // The other OWNERs have left since the read: the workspace is read again.
    if (isProblem(error, LastOwner)) return false;
    throw error;
  }
}

const isSoleOwner = ({ ownerIds }: StoredWorkspace, userId: number): boolean =>
  ownerIds.length === 1 && ownerIds[0] === userId;

const findSoleOwned = (userId: number) =>
  WorkspaceModel.find({ ownerIds: [userId], removedAt: null }, { pendingOwnerIds: 1 })
    .lean()
    .exec();

/** The workspaces that name the person: those of an OWNER first. */
async function findWorkspaceIds(userId: number): Promise<number[]> {
  const [owned, rows] = await Promise.all([
    WorkspaceModel.find({ ownerIds: userId, removedAt: null }, { _id: 1 }).lean().exec(),
    MemberModel.find({ userId, removedAt: null }, { workspaceId: 1 }).lean().exec(),
  ]);
  return [
    ...new Set([...owned.map(({ _id }) => _id), ...rows.map(({ workspaceId }) => workspaceId)]),
  ];
}

/**
 * Whether the workspace has a member beside its only OWNER. A pending membership has no effect and does not count,
 * unless its user has verified the address and only the activation is missing.
 */
async function hasOtherMember(
  { _id: workspaceId, pendingOwnerIds }: Pick<StoredWorkspace, '_id' | 'pendingOwnerIds'>,
  ownerId: number,
  directory: UserDirectory,
): Promise<boolean> {
  const others = { workspaceId, userId: { $ne: ownerId }, removedAt: null };
  const hasRole = { $or: [{ role: { $ne: null } }, { userId: { $in: pendingOwnerIds } }] };
  if (await MemberModel.exists({ ...others, pending: false, ...hasRole })) return true;
  for (let after = 0; ; ) {
    const rows = await MemberModel.find({
      ...others,
      userId: { $gt: after, $ne: ownerId },
      pending: true,
    })
      .sort({ userId: 1 })
      .limit(BATCH_SIZE)
      .lean()
      .exec();
    const users = await directory.byIds(rows.map(({ userId }) => userId));
    const isActive = rows.some(({ userId, givenTo }) => {
      const user = users.get(userId);
      return user?.emailVerified && emailKey(user.email) === givenTo;
    });
    if (isActive) return true;
    if (rows.length < BATCH_SIZE) return false;
    after = rows.at(-1)?.userId ?? after;
  }
}
