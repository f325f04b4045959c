import type { ServiceSchema } from 'moleculer';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { ApiDescriptionModel } from '../../models/api-description.model.ts';
import { AuthCredentialModel } from '../../models/auth-credential.model.ts';
import { CredentialTokenModel } from '../../models/credential-token.model.ts';
import { implement } from '../contracts.ts';
import { apiDescriptions } from './api-descriptions/api-descriptions.store.ts';
import { authCredentials } from './auth-credentials/auth-credentials.store.ts';
import { connectionsContract } from './connections.contract.ts';
import { unbuilt } from './unbuilt.ts';

/** Credentials of other systems, and the calls that are described to them. */
export function connectionsService(): ServiceSchema {
  const erasures = erasuresOf('connections', [
    AuthCredentialModel,
    CredentialTokenModel,
    ApiDescriptionModel,
  ]);
  return {
    name: 'connections',
    mixins: [erasures.mixin, Changes(authCredentials, apiDescriptions)],
    actions: implement(connectionsContract, {
      ...erasures.handlers,
      prepareCall: unbuilt,
      secretsToMask: unbuilt,
      credentialsByIds: unbuilt,
      reserveCredentials: unbuilt,
      releaseCredentials: unbuilt,
    }),
  };
}
