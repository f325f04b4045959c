import type { ServiceBroker } from 'moleculer';
import { asSystem } from '../contract/caller.ts';
import type { AccessSources } from '../middlewares/access/access-sources.ts';
import { RoleCache } from '../middlewares/access/role-cache.ts';
import { TtlCache } from '../support/ttl-cache.ts';
import { type Actions, on } from './contracts.ts';
import { serviceAccountChanged } from './identity/identity.events.ts';
import { memberChanged } from './workspaces/workspaces.events.ts';

/** What the access check of a broker asks services for. Roles are cached until their change is announced. */
export function accessSourcesOf(broker: ServiceBroker): AccessSources {
  const ask = <N extends keyof Actions & string>(name: N, params: Actions[N]['params']) =>
    broker.call<Actions[N]['result'], Actions[N]['params']>(name, params, asSystem('access'));
  const roles = new RoleCache(
    async (userId, workspaceId) => (await ask('workspaces.roleOf', { userId, workspaceId })).role,
  );
  const workspaceExists = async (workspaceId: number) =>
    (await ask('workspaces.exists', { workspaceId })).exists;
  // Accounts and keys outlive their workspace until the service `identity` has erased them.
  const accountRoles = new RoleCache(async (accountId, workspaceId) => {
    const params = { accountId, workspaceId };
    const [{ role }, exists] = await Promise.all([
      ask('identity.roleOfServiceAccount', params),
      workspaceExists(workspaceId),
    ]);
    return exists ? role : null;
  });
  const existing = new TtlCache<{ exists: boolean }>();
  broker.createService({
    name: '$roles',
    events: {
      ...on(memberChanged, ({ params: { workspaceId, userId } }) => {
        roles.drop(workspaceId, userId);
        if (userId !== undefined) return;
        accountRoles.drop(workspaceId);
        existing.drop(`${workspaceId}:`);
      }),
      ...on(serviceAccountChanged, ({ params }) =>
        accountRoles.drop(params.workspaceId, params.accountId),
      ),
    },
  });
  return {
    roleOf: (userId, workspaceId) => roles.roleOf(userId, workspaceId),
    roleOfServiceAccount: (accountId, workspaceId) => accountRoles.roleOf(accountId, workspaceId),
    async workspaceExists(workspaceId) {
      const read = async () => ({ exists: await workspaceExists(workspaceId) });
      return (await existing.get(`${workspaceId}:`, read)).exists;
    },
    isOwnAddress: async (userId, email) =>
      (await ask('identity.isOwnAddress', { userId, email })).own,
    accessToUser: (userId, subjectId) => ask('identity.accessToUser', { userId, subjectId }),
  };
}
