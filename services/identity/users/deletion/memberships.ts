import type { ServiceBroker } from 'moleculer';
import { asSystem } from '../../../../contract/caller.ts';
import type { UserDeletion } from '../../../../models/user.model.ts';
import type { Actions } from '../../../contracts.ts';

/** The memberships of a person in the service `workspaces`. */
export interface Memberships {
  /** Throws 409 while the person is the only OWNER of a workspace with other members. */
  assertRemovable(userId: number): Promise<void>;
  /** Ends the memberships, and deletes workspaces without another member. Throws 409 as above. */
  end(userId: number, deletion: UserDeletion): Promise<void>;
}

export const membershipsOf = (broker: Pick<ServiceBroker, 'call'>): Memberships => {
  type Removal = Actions['workspaces.removePerson'];
  const remove = async (params: Removal['params']): Promise<void> => {
    await broker.call<Removal['result'], Removal['params']>(
      'workspaces.removePerson',
      params,
      asSystem('identity'),
    );
  };
  return {
    assertRemovable: (userId) => remove({ userId }),
    end: (userId, { actor, via, operation, requestId }) =>
      remove({ userId, by: { actor, via, operation, requestId } }),
  };
};
