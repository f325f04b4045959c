import type { Access } from '../../contract/access-rule.ts';
import type { ActionContract } from '../../contract/contract.ts';
import { contracts } from '../../services/contracts.ts';
import { cellsOf } from './permission-rows.ts';

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
  [
    method,
    path,
    whoOf(access),
    ...cellsOf(access.who === 'member' ? access.roles : undefined),
    scopeOf(access) ?? '-',
    rulesOf(access),
  ].join('\t');

/** The matrix says `anyone` for a caller with any valid token, and names the API key apart. */
function whoOf(access: Access): string {
  if (access.who === 'authenticated') return access.keys ? 'anyone-or-key' : 'anyone';
  return access.who === 'member' && access.keyScope ? 'member-or-key' : access.who;
}
export function scopeOf(access: Access): string | undefined {
  if ('scope' in access) return access.scope;
  if ('keys' in access) return access.keys;
  return 'keyScope' in access ? access.keyScope : undefined;
}
const rulesOf = (access: Access): string => ('rules' in access && access.rules?.join(',')) || '-';
