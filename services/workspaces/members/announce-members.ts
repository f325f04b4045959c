import type { Context } from 'moleculer';

/** Makes every process forget the roles that it remembers of a user in these workspaces. */
export async function announceMembers(
  ctx: Pick<Context, 'broadcast'>,
  userId: number,
  workspaceIds: readonly number[],
): Promise<void> {
  for (const workspaceId of workspaceIds) {
    await ctx.broadcast('member.changed', { workspaceId, userId });
  }
}
