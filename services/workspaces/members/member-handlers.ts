import type { Role } from '../../../contract/access-rule.ts';
import { emit, type PayloadOf } from '../../../contract/event.ts';
import { logSecurityEvent } from '../../../mixins/security-log.ts';
import type { Ctx, Params } from '../../contracts.ts';
import type { userVerified } from '../../identity/identity.events.ts';
import { memberChanged } from '../workspaces.events.ts';
import { addMember } from './add-member.ts';
import { announceMembers } from './announce-members.ts';
import { changeRole } from './change-role.ts';
import { confirmMemberships } from './confirm-memberships.ts';
import { findRole } from './find-role.ts';
import { changeMembers } from './member-change.ts';
import { removeMember } from './remove-member.ts';
import { assertRemovable, removePerson } from './remove-person.ts';
import type { GivenMembership } from './show-member.ts';
import { directoryOf } from './user-directory.ts';

export async function handleAddMember(
  ctx: Ctx<Params<'workspaces.addMember'>>,
): Promise<GivenMembership> {
  const added = await changeMembers(ctx, (change) => addMember(ctx.params, change));
  const { workspaceId, userId, role } = added;
  logSecurityEvent('member.added', ctx, { workspaceId, userId, role });
  return added;
}

export async function handleChangeRole(
  ctx: Ctx<Params<'workspaces.changeRole'>>,
): Promise<GivenMembership> {
  const { membership, from } = await changeMembers(ctx, (change) => changeRole(ctx.params, change));
  const { workspaceId, userId, role } = membership;
  if (role !== from) {
    logSecurityEvent('member.role-changed', ctx, { workspaceId, userId, from, to: role });
  }
  return membership;
}

export async function handleRemoveMember(
  ctx: Ctx<Params<'workspaces.removeMember'>>,
): Promise<null> {
  const { workspaceId } = ctx.params;
  const removed = await changeMembers(ctx, (change) => removeMember(ctx.params, change));
  logSecurityEvent('member.removed', ctx, { workspaceId, ...removed });
  return null;
}

/** Ends the memberships of a deleted person. Each changed workspace is announced, also after a failure. */
export async function handleRemovePerson(
  ctx: Ctx<Params<'workspaces.removePerson'>>,
): Promise<null> {
  const { userId, by } = ctx.params;
  await assertRemovable(userId, directoryOf(ctx));
  if (!by) return null;
  const changed: number[] = [];
  try {
    await removePerson({ userId, by, changed }, directoryOf(ctx));
  } finally {
    for (const workspaceId of changed) await emit(ctx, memberChanged, { workspaceId });
  }
  return null;
}

export async function handleFindRole(
  ctx: Ctx<Params<'workspaces.roleOf'>>,
): Promise<{ role: Role | null }> {
  const { userId, workspaceId } = ctx.params;
  const { role, confirmed } = await findRole(userId, workspaceId, directoryOf(ctx));
  await announceMembers(ctx, userId, confirmed);
  return { role };
}

export async function handleUserVerified(ctx: Ctx<PayloadOf<typeof userVerified>>): Promise<void> {
  const { userId } = ctx.params;
  await announceMembers(ctx, userId, await confirmMemberships(userId, directoryOf(ctx)));
}
