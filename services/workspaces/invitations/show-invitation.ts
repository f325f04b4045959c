import type { z } from 'zod';
import type { Invitation as InvitationContract } from '../contract/resources.ts';
import { namesOf } from '../list-workspaces.ts';
import { deletedUserOf, type User, type UserDirectory } from '../members/user-directory.ts';
import { isPending, type StoredInvitation } from './invitations.store.ts';

export type Invitation = z.output<typeof InvitationContract>;

/** Makes what shows these invitations with the present names of workspaces and inviters; null without a workspace. */
export async function showerOf(
  found: readonly StoredInvitation[],
  directory: UserDirectory,
): Promise<(invitation: StoredInvitation) => Invitation | null> {
  const inviters = found.flatMap(({ invitedBy: { type, id } }) =>
    type === 'person' && id !== null ? [id] : [],
  );
  const [names, users] = await Promise.all([
    namesOf([...new Set(found.map(({ workspaceId }) => workspaceId))]),
    directory.byIds([...new Set(inviters)]),
  ]);
  return (invitation) => {
    const workspaceName = names.get(invitation.workspaceId);
    return workspaceName === undefined ? null : show(invitation, workspaceName, users);
  };
}

export async function showInvitation(
  invitation: StoredInvitation,
  workspaceName: string,
  directory: UserDirectory,
): Promise<Invitation> {
  const { type, id } = invitation.invitedBy;
  const users = type === 'person' && id !== null ? await directory.byIds([id]) : new Map();
  return show(invitation, workspaceName, users);
}

const show = (
  invitation: StoredInvitation,
  workspaceName: string,
  users: ReadonlyMap<number, User>,
): Invitation => {
  const { _id: id, workspaceId, email, role, status, createdAt, expiresAt } = invitation;
  return {
    id,
    workspaceId,
    workspaceName,
    email,
    role,
    status: status === 'PENDING' && !isPending(invitation) ? 'EXPIRED' : status,
    invitedBy: showInviter(invitation, users),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
};

function showInviter({ invitedBy }: StoredInvitation, users: ReadonlyMap<number, User>) {
  const { type, id, name } = invitedBy;
  if (type !== 'person' || id === null) return { id, email: '', firstName: name, lastName: '' };
  const { email, firstName, lastName } = users.get(id) ?? deletedUserOf(id);
  return { id, email, firstName, lastName };
}
