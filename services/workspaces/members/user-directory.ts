import { asSystem } from '../../../contract/caller.ts';
import { deletedUser } from '../../../contract/deleted-user.ts';
import type { Ctx } from '../../contracts.ts';

/** The fields of a user that this service reads. */
export interface User {
  id: number;
  email: string;
  firstName: string;
  lastName: string;
  emailVerified: boolean;
}

/** The lookups of users in the service `identity`. */
export interface UserDirectory {
  byIds(ids: readonly number[]): Promise<Map<number, User>>;
  byEmail(email: string): Promise<User | null>;
}

export const directoryOf = (ctx: Pick<Ctx, 'call'>): UserDirectory => ({
  async byIds(ids) {
    if (ids.length === 0) return new Map();
    const { users } = await ctx.call(
      'identity.usersByIds',
      { ids: [...ids] },
      asSystem('workspaces'),
    );
    return new Map(users.map((user) => [user.id, user]));
  },
  async byEmail(email) {
    return (await ctx.call('identity.userByEmail', { email }, asSystem('workspaces'))).user;
  },
});

/** The stand-in for a user that `identity` has deleted. */
export const deletedUserOf = (id: number): User => ({ ...deletedUser(id), emailVerified: false });
