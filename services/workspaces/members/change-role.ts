import { isAbove, type Role } from '../../../contract/access-rule.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { RowRole } from '../../../models/member.model.ts';
import type { Params } from '../../contracts.ts';
import { noMember, notAllowed } from '../workspaces.problems.ts';
import { assertMayGrant, assertMayTake, isSelf } from './authority.ts';
import { createOwnerRow } from './create-owner-row.ts';
import { findMember, type Member } from './find-member.ts';
import type { MemberChange } from './member-change.ts';
import { withMemberEvent } from './member-events.ts';
import { members, type StoredMember, unaudited } from './members.store.ts';
import { type Decision, grantOwnership, takeOwnership } from './ownership/owners.ts';
import { showMembership, type GivenMembership } from './show-member.ts';

/** The membership after a change of role. `from` equals the new role when no write was needed. */
export interface ChangedRole {
  membership: GivenMembership;
  from: Role;
}

/** Gives a member another role. The next attempt finishes an interrupted change. */
export async function changeRole(
  { workspaceId, userEmail, role }: Params<'workspaces.changeRole'>,
  { authority, directory, context, markAffected }: MemberChange,
): Promise<ChangedRole> {
  for (;;) {
    const member = await findMember(workspaceId, userEmail, { directory, authority });
    const userId = member.user.id;
    if (isSelf(authority, userId)) throw notAllowed('Nobody changes their own role.');
    assertMayTake(authority, member.role);
    assertMayGrant(authority, role);
    if (isAbove(role, member.role) && !isProven(member)) throw noMember();
    const from = member.role;
    if (from === role) return { membership: showMembership(member), from };
    markAffected(userId);
    const told = contextOfChange(member, role, context);
    const written = await writeRole(member, role, { userId, authority, context: told });
    if (written) return { membership: showMembership({ ...member, ...written, role }), from };
  }
}

/** An OWNER without a row gets one first, and is read again. */
const contextOfChange = (
  { row, workspace }: Member,
  role: Role,
  context: ChangeContext,
): ChangeContext =>
  row ? withMemberEvent(context, 'member.role-changed', { row, workspace }, role) : context;

/** Whether the member has proven the shown address, or proves it before the membership takes effect. */
const isProven = ({ user, row }: Member): boolean => user.emailVerified || Boolean(row?.givenTo);

/** Writes the role and returns the new row; null when the membership has changed since the read. */
async function writeRole(
  member: Member,
  role: Role,
  decision: Decision,
): Promise<{ row: StoredMember | null } | null> {
  if (role === 'OWNER') return makeOwner(member, decision);
  if (member.role === 'OWNER') return demoteOwner(member, role, decision);
  const row = await writeRowRole(member, role, decision.context);
  return row && { row };
}

async function makeOwner(member: Member, decision: Decision) {
  const { workspace, row, pending } = member;
  if (!(await grantOwnership(workspace, decision, pending))) return null;
  // Raises the row's `updatedAt`. A row that has changed since the read has a later `updatedAt` already.
  const touched = row && (await members.tryChange(row, {}, unaudited(decision.context)));
  return { row: touched ?? row };
}

/** Writes the row's role before the workspace. The row's role takes effect when the user is no longer OWNER. */
async function demoteOwner(member: Member, role: RowRole, decision: Decision) {
  const { workspace, row } = member;
  if (!row) {
    await createOwnerRow(workspace, decision);
    return null;
  }
  const written = await writeRowRole(member, role, unaudited(decision.context));
  return written && (await takeOwnership(workspace, decision)) ? { row: written } : null;
}

/** Writes the row's role and clears an interrupted or refused removal, so that no sweep finishes the removal. */
const writeRowRole = async ({ row }: Member, role: RowRole, context: ChangeContext) =>
  row &&
  members.tryChange(
    row,
    { set: { role }, unset: ['removal', 'invitationId'], changed: ['role'] },
    context,
  );
