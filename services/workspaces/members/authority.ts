import { isAbove, type Role } from '../../../contract/access-rule.ts';
import type { Ctx } from '../../contracts.ts';
import { notAllowed } from '../workspaces.problems.ts';

/** The authority of a change of members. */
export type Authority =
  | { readonly kind: 'person'; readonly userId: number; readonly role: Role }
  | { readonly kind: 'service-account'; readonly role: Role }
  /** A service of this system or the operator. No rule on roles limits the system. */
  | { readonly kind: 'system' };

export const SYSTEM: Authority = { kind: 'system' };

/** The caller and the role from the access check, which make an authority. */
type Authorized = Pick<Ctx, 'meta' | 'locals'>;

/** The authority of a caller. Callers that have no role in a workspace are refused. */
export function authorityOf(ctx: Authorized): Authority {
  const { caller } = ctx.meta;
  switch (caller.kind) {
    case 'person':
      return { kind: 'person', userId: caller.userId, role: foundRole(ctx) };
    case 'service-account':
      return { kind: 'service-account', role: foundRole(ctx) };
    case 'system':
    case 'operator-console':
      return SYSTEM;
    case 'api-key':
    case 'run':
    case 'anonymous':
      throw notAllowed('Only a member of the workspace may do this.');
  }
}

/** The role by which a caller may call operations. The system and its operator may call all of them. */
export function roleOfCaller(ctx: Authorized): Role {
  const by = authorityOf(ctx);
  return by.kind === 'system' ? 'OWNER' : by.role;
}

/** The role from the access check. A missing role is a defect of the access check and throws. */
function foundRole({ locals }: Authorized): Role {
  if (!locals.role) throw new TypeError('the access check has found no role of the caller');
  return locals.role;
}

/** Whether the authority is the user of the membership. */
export const isSelf = (by: Authority, userId: number): boolean =>
  by.kind === 'person' && by.userId === userId;

/** Throws for a role above the authority's own role, but for the system. So only an OWNER makes an OWNER. */
export function assertMayGrant(by: Authority, role: Role): void {
  if (by.kind !== 'system' && isAbove(role, by.role)) {
    throw notAllowed(`The role ${by.role} may not give the role ${role}.`);
  }
}

/** Throws for the role OWNER, unless the authority is an OWNER or the system. */
export function assertMayTake(by: Authority, role: Role): void {
  if (role === 'OWNER' && by.kind !== 'system' && by.role !== 'OWNER') {
    throw notAllowed('Only an OWNER may take the role OWNER from somebody, or remove an OWNER.');
  }
}
