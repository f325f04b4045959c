import { isAbove, type Role } from '../../../contract/access-rule.ts';
import type { Ctx } from '../../contracts.ts';
import { notAllowed } from '../workspaces.problems.ts';

/** In whose name members are changed. */
export interface Authority {
  /** Null for the system and its operators, who are nobody's equal. */
  userId: number | null;
  role: Role;
}

export const SYSTEM: Authority = { userId: null, role: 'OWNER' };

export function authorityOf(ctx: Pick<Ctx, 'meta' | 'locals'>): Authority {
  const { caller } = ctx.meta;
  if (caller.kind !== 'person') return SYSTEM;
  return { userId: caller.userId, role: (ctx.locals.role as Role | undefined) ?? 'GUEST' };
}

/** The person who calls; others have no workspaces of their own. */
export function personOf(ctx: Pick<Ctx, 'meta'>): number {
  const { caller } = ctx.meta;
  if (caller.kind !== 'person') throw notAllowed('Only a person may do this.');
  return caller.userId;
}

/** Nobody gives a role above their own: so only an OWNER makes an OWNER. */
export function assertMayGrant(by: Authority, role: Role): void {
  if (isAbove(role, by.role))
    throw notAllowed(`The role ${by.role} may not give the role ${role}.`);
}

export function assertMayTake(by: Authority, role: Role): void {
  if (role === 'OWNER' && by.role !== 'OWNER') {
    throw notAllowed('Only an OWNER may take the role OWNER from somebody, or remove an OWNER.');
  }
}
