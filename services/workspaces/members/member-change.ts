import { type ChangeContext, changeOf } from '../../../mixins/changes/change-context.ts';
import type { Ctx } from '../../contracts.ts';
import { announceMembers } from './announce-members.ts';
import { type Authority, authorityOf } from './authority.ts';
import { directoryOf, type UserDirectory } from './user-directory.ts';

/** The context of a use case that changes members, beside its parameters. */
export interface MemberChange {
  authority: Authority;
  directory: UserDirectory;
  /** The request that makes the change, for the audit log. */
  context: ChangeContext;
  /** Registers a user for the announcement, before any write about the user. */
  markAffected(userId: number): void;
}

/** Carries out a change of members. Every affected user is announced, also after a failure. */
export async function changeMembers<T>(
  ctx: Ctx<{ workspaceId: number }>,
  carryOut: (change: MemberChange) => Promise<T>,
): Promise<T> {
  const affected = new Set<number>();
  try {
    return await carryOut({
      authority: authorityOf(ctx),
      directory: directoryOf(ctx),
      context: changeOf(ctx),
      markAffected: (userId) => void affected.add(userId),
    });
  } finally {
    for (const userId of affected) await announceMembers(ctx, userId, [ctx.params.workspaceId]);
  }
}
