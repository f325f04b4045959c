import type { ServiceBroker } from 'moleculer';
import { asSystem } from '../contract/caller.ts';
import { ShareOwners } from '../mixins/share-owners.ts';
import { ownerOfPerson, UNKNOWN_OWNER } from '../support/fair-shares/share.ts';
import type { Actions } from './contracts.ts';

/** Who pays, as `service` learns it from the services that know. */
export function shareOwnersFor(broker: ServiceBroker, service: string): ShareOwners {
  const ask = <N extends keyof Actions & string>(
    name: N,
    params: Actions[N]['params'],
  ): Promise<Actions[N]['result']> =>
    broker.call<Actions[N]['result'], Actions[N]['params']>(name, params, asSystem(service));
  return new ShareOwners({
    ofWorkspace: async (workspaceId) => (await ask('workspaces.shareOwner', { workspaceId })).owner,
    async ofPerson(userId) {
      const [user] = (await ask('identity.usersByIds', { ids: [userId] })).users;
      return user ? ownerOfPerson(userId, user.emailVerified) : UNKNOWN_OWNER;
    },
  });
}
