import type { ServiceBroker } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { deletedUser } from '../../contract/deleted-user.ts';
import { type BatchedFind, batchById } from '../../mixins/database/batch-loader.ts';
import type { Actions, Ctx } from '../contracts.ts';
import { contradiction, notAssignable } from './issues.problems.ts';

export interface Assignee {
  id: number;
  email: string;
  firstName: string;
  lastName: string;
}

/** The lookups of users and members in the services `identity` and `workspaces`. */
export interface Directory {
  people(ids: readonly number[]): Promise<Map<number, Assignee>>;
  isMember(userId: number, workspaceId: number): Promise<boolean>;
}

/** The lookups of `Directory`, and those of workspaces. */
export interface WorkspaceDirectory extends Directory {
  workspaceExists(workspaceId: number): Promise<boolean>;
}

/**
 * Finds users by id. One call, in the name of the service, looks up the users for all requests in one turn of the
 * event loop. The call belongs to the trace of the first of these requests.
 */
export function userFinder(broker: ServiceBroker): BatchedFind<number, Assignee> {
  type Users = Actions['identity.usersByIds'];
  return batchById(
    async (ids: number[]) => {
      const { users } = await broker.call<Users['result'], Users['params']>(
        'identity.usersByIds',
        { ids },
        asSystem('issues'),
      );
      return users.map(({ id, email, firstName, lastName }) => ({
        id,
        email,
        firstName,
        lastName,
      }));
    },
    ({ id }) => id,
  );
}

export const directoryOf = (
  ctx: Pick<Ctx, 'call'>,
  findUser: BatchedFind<number, Assignee>,
): WorkspaceDirectory => ({
  async people(ids) {
    const users = await Promise.all(ids.map(findUser));
    return new Map(users.filter((user) => user !== null).map((user) => [user.id, user]));
  },
  async isMember(userId, workspaceId) {
    const found = await ctx.call('workspaces.roleOf', { userId, workspaceId }, asSystem('issues'));
    return found.role !== null;
  },
  async workspaceExists(workspaceId) {
    return (await ctx.call('workspaces.exists', { workspaceId }, asSystem('issues'))).exists;
  },
});

/** The assignees of some issues, by user id. A deleted user has the stand-in `deletedUser`. */
export async function assigneesOf(
  issues: readonly { assignedUserId: number | null }[],
  directory: Directory,
): Promise<(userId: number) => Assignee> {
  const ids = new Set(issues.flatMap(({ assignedUserId }) => assignedUserId ?? []));
  const people = await directory.people([...ids]);
  return (id) => people.get(id) ?? deletedUser(id);
}

/** Throws unless the user is an active member of the workspace. The problem names `field`. */
export async function assertAssignable(
  userId: number,
  workspaceId: number,
  directory: Directory,
  field = 'assignedUserId',
): Promise<void> {
  if (!(await directory.isMember(userId, workspaceId))) throw notAssignable(field, userId);
}

/** Makes the check of a change's assignee. Repeated decisions of the change do not repeat a successful lookup. */
export function assigneeCheck(
  userId: number | null | undefined,
  field: string,
  directory: Directory,
) {
  let isAssignable = typeof userId !== 'number';
  return async (issue: { assignedUserId: number | null; workspaceId: number }): Promise<void> => {
    if (isAssignable || typeof userId !== 'number' || userId === issue.assignedUserId) return;
    await assertAssignable(userId, issue.workspaceId, directory, field);
    isAssignable = true;
  };
}

interface Wish {
  assignedUserId?: number | null | undefined;
  assignee?: { id: number } | null | undefined;
}

/**
 * The wanted assignee and the field that names the assignee. `assignee` counts without `assignedUserId`; the user id is
 * undefined without both fields.
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
