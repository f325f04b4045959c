import { asSystem } from '../../../contract/caller.ts';
import { deletedUser } from '../../../contract/deleted-user.ts';
import type { Ctx } from '../../contracts.ts';

/** A user as this service needs to know them. */
export interface User {
  id: number;
  email: string;
  firstName: string;
  lastName: string;
  emailVerified: boolean;
}

/** What this service asks of those who know the users. */
export interface People {
  byIds(ids: readonly number[]): Promise<Map<number, User>>;
  byEmail(email: string): Promise<User | null>;
}

export const peopleOf = (ctx: Pick<Ctx, 'call'>): People => ({
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

export const nobodyNow = (id: number): User => ({ ...deletedUser(id), emailVerified: false });
