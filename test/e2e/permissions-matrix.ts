import type { Access } from '../../contract/access-rule.ts';
import { ROLES, type Role } from '../../contract/access-rule.ts';
import type { ActionContract } from '../../contract/contract.ts';
import { contracts } from '../../services/contracts.ts';

/** An operation on HTTP, as its contract says. */
export interface Operation {
  name: string;
  method: string;
  /** With its parameters in braces. */
  path: string;
  contract: ActionContract;
}

export const operations: Operation[] = contracts.flatMap((service) =>
  Object.entries<ActionContract>(service.actions).flatMap(([action, contract]) => {
    const [method = '', path = ''] = contract.route?.split(' ') ?? [];
    const name = `${service.name}.${action}`;
    return method ? [{ name, method, path: path.replaceAll(/:(\w+)/g, '{$1}'), contract }] : [];
  }),
);

/** An operation as a row of `permissions.tsv`, without its note. */
export const rowOf = ({ method, path, contract: { access } }: Operation): string =>
  [method, path, whoOf(access), ...cellsOf(access), scopeOf(access), rulesOf(access)].join('\t');

const COLUMNS: Role[] = ['OWNER', 'ADMIN', 'MEMBER', 'GUEST', 'AGENT'];
if (COLUMNS.length !== ROLES.length) throw new Error('the matrix lacks a role');

/** The matrix says `anyone` for a caller with any valid token. */
const whoOf = (access: Access): string => {
  if (access.who === 'authenticated') return 'anyone';
  return access.who === 'member' && access.keyScope ? 'member-or-key' : access.who;
};
const cellsOf = (access: Access): string[] =>
  COLUMNS.map((role) => {
    if (access.who !== 'member') return '-';
    return access.roles.includes(role) ? 'y' : 'n';
  });
function scopeOf(access: Access): string {
  if (access.who === 'key') return access.scope;
  return (access.who === 'member' && access.keyScope) || '-';
}
const rulesOf = (access: Access): string => ('rules' in access && access.rules?.join(',')) || '-';
