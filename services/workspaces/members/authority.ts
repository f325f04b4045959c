import { isAbove, type Role } from '../../../contract/access-rule.ts';
import type { Ctx } from '../../contracts.ts';
import { notAllowed } from '../workspaces.problems.ts';

/** In whose name a member is changed. */
export type Authority =
  | { readonly kind: 'person'; readonly userId: number; readonly role: Role }
  | { readonly kind: 'service-account'; readonly role: Role }
  /** A service of this system or its operator: no rule on roles limits it. */
  | { readonly kind: 'system' };

export const SYSTEM: Authority = { kind: 'system' };

/** What an authority is made of: the caller, and the role that the access check found. */
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

/** A role that is missing is a defect of the access check, and no reason to assume one. */
function foundRole({ locals }: Authorized): Role {
  if (!locals.role) throw new TypeError('the access check has found no role of the caller');
  return locals.role;
}

/** Whether the authority is the user whose membership is concerned. */
export const isSelf = (by: Authority, userId: number): boolean =>
  by.kind === 'person' && by.userId === userId;

/** Nobody gives a role above their own: so only an OWNER makes an OWNER. */
export function assertMayGrant(by: Authority, role: Role): void {
  if (by.kind !== 'system' && isAbove(role, by.role)) {
    throw notAllowed(`The role ${by.role} may not give the role ${role}.`);
  }
}

/** Only an OWNER takes the role OWNER. */
export function assertMayTake(by: Authority, role: Role): void {
  if (role === 'OWNER' && by.kind !== 'system' && by.role !== 'OWNER') {
    throw notAllowed('Only an OWNER may take the role OWNER from somebody, or remove an OWNER.');
  }
}
