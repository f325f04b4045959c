import { emailKey } from '../../../contract/fields.ts';
import { isProblem, NotFound } from '../../../contract/problem.ts';
import { systemChange } from '../../../mixins/changes/change-context.ts';
import type { Ctx, Params } from '../../contracts.ts';
import { UserAlreadyInWorkspace } from '../workspaces.problems.ts';
import { addMember } from './add-member.ts';
import { announceMembers } from './announce-members.ts';
import { SYSTEM } from './authority.ts';
import { directoryOf, type UserDirectory } from './user-directory.ts';

type Joins = Params<'workspaces.autoJoin'>['entries'];

const AUTO_JOIN = systemChange('workspaces', 'workspaces.autoJoin', { resource: 'member' });

/** Adds users who have verified an address of a listed e-mail domain to the workspace of the domain. */
export async function handleAutoJoin(ctx: Ctx<{ entries: Joins }>): Promise<null> {
  for (const join of ctx.params.entries) {
    if (await autoJoin(join, directoryOf(ctx))) {
      await announceMembers(ctx, join.userId, [join.workspaceId]);
    }
  }
  return null;
}

/**
 * Adds one user, and returns whether the user has become a member. A member keeps the present role. A user who has
 * another address by now, or a workspace that is gone, joins nothing.
 */
async function autoJoin(
  { userId, workspaceId, role, emailKey: verified }: Joins[number],
  directory: UserDirectory,
): Promise<boolean> {
  const user = (await directory.byIds([userId])).get(userId);
  if (!user?.emailVerified || emailKey(user.email) !== verified) return false;
  const change = {
    authority: SYSTEM,
    directory,
    context: AUTO_JOIN,
    markAffected: () => undefined,
  };
  try {
    await addMember({ workspaceId, userEmail: user.email, role }, change);
    return true;
  } catch (error) {
    if (isProblem(error, ...ENDED)) return false;
    throw error;
  }
}

/** The refusals after which there is nothing to join: the user is a member, or the user or the workspace is gone. */
const ENDED = [UserAlreadyInWorkspace, NotFound];
