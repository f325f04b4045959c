import type { Access, MemberAccess, Role } from '../../contract/access-rule.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Method } from '../../contract/contract.ts';
import { admitsKind } from '../../middlewares/access/caller-checks.ts';
import type { Route } from '../../mixins/gateway/routing/router.ts';

export interface Operation {
  operation: string;
  method: Method;
  path: string;
}

/** A caller with a role in a workspace. */
export interface Permitted {
  caller: Caller;
  role: Role;
  isOperator: boolean;
}

/** Whether the access rule admits the caller. The access check applies the same rule. */
export function opensTo(access: Access, { caller, role, isOperator }: Permitted): boolean {
  switch (access.who) {
    case 'public':
      return true;
    case 'member':
      return access.roles.includes(role) || (isSelfRule(access) && caller.kind === 'person');
    case 'operator':
      return admitsKind(access, caller) && isOperator;
    case 'invitee': // nobody invites a service account
      return admitsKind(access, caller) && caller.kind !== 'service-account';
    case 'key':
    case 'run':
      return false;
    default:
      return access.who !== 'internal' && admitsKind(access, caller);
  }
}

const isSelfRule = ({ rules }: MemberAccess): boolean => rules?.includes('self') === true;

/** The HTTP operations that the caller may call. */
export const operationsFor = (permitted: Permitted, routes: readonly Route[]): Operation[] =>
  routes
    .filter(({ contract }) => opensTo(contract.access, permitted))
    .map(({ action, method, path }) => ({
      operation: action,
      method,
      path: path.replaceAll(/:(\w+)/g, '{$1}'),
    }));
