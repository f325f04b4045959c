import { asSystem } from '../../contract/caller.ts';
import type { UserDocument } from '../../models/user.model.ts';
import type { Ctx } from '../contracts.ts';
import { showCallingAccount } from './service-accounts/find-account.ts';
import { getCallingUser, showMe } from './users/users.ts';

/** The caller as the caller sees itself: a person, or a service account. */
export async function showCaller(ctx: Pick<Ctx, 'meta' | 'call'>) {
  const { caller } = ctx.meta;
  if (caller.kind === 'service-account') return showCallingAccount(caller);
  const countPending = async ({ _id: userId, email }: UserDocument): Promise<number> =>
    (await ctx.call('workspaces.countPending', { userId, email }, asSystem('identity'))).count;
  return showMe(await getCallingUser(caller), countPending);
}
