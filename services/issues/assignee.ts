import { asSystem } from '../../mixins/caller.ts';
import { deletedUser } from '../../mixins/deleted-user.ts';
import type { Ctx } from '../contracts.ts';
import { contradiction, notAssignable } from './issues.problems.ts';

export interface Assignee {
  id: number;
  email: string;
  firstName: string;
  lastName: string;
}

/** What this service asks of those who know users and members. */
export interface Directory {
  /** In one call, and in none for nobody. */
  people(ids: readonly number[]): Promise<Map<number, Assignee>>;
  isMember(userId: number, workspaceId: number): Promise<boolean>;
}

export const directoryOf = (ctx: Pick<Ctx, 'call'>): Directory => ({
  async people(ids) {
    if (ids.length === 0) return new Map();
    const { users } = await ctx.call('identity.usersByIds', { ids: [...ids] }, asSystem('issues'));
    return new Map(
      users.map(({ id, email, firstName, lastName }) => [id, { id, email, firstName, lastName }]),
    );
  },
  async isMember(userId, workspaceId) {
    const found = await ctx.call('workspaces.roleOf', { userId, workspaceId }, asSystem('issues'));
    return found.role !== null;
  },
});

/** The assignees of some issues, by user id. Who was deleted stays as what was done in their name. */
export async function assigneesOf(
  issues: readonly { assignedUserId: number | null }[],
  directory: Directory,
): Promise<(userId: number) => Assignee> {
  const ids = new Set(issues.flatMap(({ assignedUserId }) => assignedUserId ?? []));
  const people = await directory.people([...ids]);
  return (id) => people.get(id) ?? deletedUser(id);
}

/** Refuses to assign who is not a member, or not yet: naming the field that said so. */
export async function assertAssignable(
  userId: number,
  workspaceId: number,
  directory: Directory,
  field = 'assignedUserId',
): Promise<void> {
  if (!(await directory.isMember(userId, workspaceId))) throw notAssignable(field, userId);
}

interface Wish {
  assignedUserId?: number | null | undefined;
  assignee?: { id: number } | null | undefined;
}

/**
 * Who shall be assigned, and by which field: the object that an answer shows counts when the id is
 * absent. Undefined when neither is given.
 */
export function wishedAssignee({ assignedUserId, assignee }: Wish): {
  userId: number | null | undefined;
  field: string;
} {
  if (assignee === undefined) return { userId: assignedUserId, field: 'assignedUserId' };
  const shown = assignee?.id ?? null;
  if (assignedUserId !== undefined && assignedUserId !== shown) {
    throw contradiction('assignedUserId', 'names another user than assignee');
  }
  return { userId: shown, field: assignedUserId === undefined ? 'assignee.id' : 'assignedUserId' };
}
