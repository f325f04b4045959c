import type { ServiceBroker } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { ownerOfPerson, UNKNOWN_OWNER } from '../../support/fair-shares/share.ts';
import type { Actions } from '../contracts.ts';
import { ShareOwners } from './share-owners.ts';

/** Makes the cache of share owners of a service, which asks `workspaces` and `identity` as that service. */
export function createShareOwners(broker: ServiceBroker, service: string): ShareOwners {
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
