import type { Access, Role } from '../../contract/access-rule.ts';
import type { Method } from '../../contract/contract.ts';
import type { Route } from '../../mixins/gateway/routing/router.ts';

export interface Operation {
  operation: string;
  method: Method;
  path: string;
}

/** Whether the access rule admits a person with the role. The access check applies the same rule. */
export function opensTo(access: Access, role: Role): boolean {
  switch (access.who) {
    case 'public':
    case 'authenticated':
    case 'person':
    case 'self-or-operator': // everyone may call it about themselves
    case 'invitee':
      return true;
    case 'member':
      return access.roles.includes(role) || access.rules?.includes('self') === true;
    case 'operator':
    case 'key':
    case 'internal':
      return false;
  }
}

/** The HTTP operations that a person with the role may call. */
export const operationsFor = (role: Role, routes: readonly Route[]): Operation[] =>
  routes
    .filter(({ contract }) => opensTo(contract.access, role))
    .map(({ action, method, path }) => ({
      operation: action,
      method,
      path: path.replaceAll(/:(\w+)/g, '{$1}'),
    }));
