import type { Actor } from '../../mixins/caller.ts';
import { nextId } from '../../mixins/ids.ts';
import { MemberModel, memberId } from '../../models/member.model.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';

/** A person's own workspace: theirs at once, whether their address is verified or not. */
export async function createWorkspace(
  name: string,
  ownerId: number,
  createdBy: Actor,
): Promise<{ id: number; name: string }> {
  const id = await nextId('workspaces');
  const now = new Date();
  await WorkspaceModel.create({
    _id: id,
    name,
    ownerIds: [ownerId],
    pendingOwnerIds: [],
    createdBy,
    createdAt: now,
    updatedAt: now,
  });
  await MemberModel.create({
    _id: memberId(id, ownerId),
    workspaceId: id,
    userId: ownerId,
    role: null,
    pending: false,
    givenTo: '',
    joinedAt: now,
    updatedAt: now,
  });
  return { id, name };
}
