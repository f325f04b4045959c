import type { ServiceSchema } from 'moleculer';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { ApiDescriptionModel } from '../../models/api-description.model.ts';
import { AuthCredentialModel } from '../../models/auth-credential.model.ts';
import { CredentialTokenModel } from '../../models/credential-token.model.ts';
import { implement } from '../contracts.ts';
import { apiDescriptions } from './api-descriptions/api-descriptions.store.ts';
import { authCredentials } from './auth-credentials/auth-credentials.store.ts';
import { createAuthCredential } from './auth-credentials/create-credential.ts';
import { credentialUsersOf } from './auth-credentials/credential-users.ts';
import { removeAuthCredential } from './auth-credentials/remove-credential.ts';
import {
  findCredentials,
  releaseCredentials,
  reserveCredentials,
} from './auth-credentials/reservations.ts';
import { listAuthCredentials, showAuthCredential } from './auth-credentials/show-credential.ts';
import { updateAuthCredential } from './auth-credentials/update-credential.ts';
import { connectionsContract } from './connections.contract.ts';
import type { FieldSealer } from './oauth-tokens/sealed-token.ts';
import { unbuilt } from './unbuilt.ts';

/** Credentials of other systems, and the calls that are described to them. */
export function connectionsService(): ServiceSchema {
  const erasures = erasuresOf('connections', [
    AuthCredentialModel,
    CredentialTokenModel,
    ApiDescriptionModel,
  ]);
  const sealer: FieldSealer = { sealField: unbuilt, openField: unbuilt };
  return {
    name: 'connections',
    mixins: [erasures.mixin, Changes(authCredentials, apiDescriptions)],
    actions: implement(
      connectionsContract,
      {
        ...erasures.handlers,
        createAuthCredential: (ctx) => createAuthCredential(ctx.params, changeOf(ctx), sealer),
        listAuthCredentials: (ctx) => listAuthCredentials(ctx.params),
        getAuthCredential: (ctx) => showAuthCredential(ctx.locals.resource),
        updateAuthCredential: (ctx) =>
          updateAuthCredential(ctx.locals.resource, ctx.params, changeOf(ctx), sealer),
        removeAuthCredential: (ctx) =>
          removeAuthCredential(ctx.locals.resource, changeOf(ctx), credentialUsersOf(ctx)),
        credentialsByIds: (ctx) => findCredentials(ctx.params),
        reserveCredentials: (ctx) => reserveCredentials(ctx.params),
        releaseCredentials: (ctx) => releaseCredentials(ctx.params),
        prepareCall: unbuilt,
        secretsToMask: unbuilt,
      },
      { authCredential: authCredentials.find },
    ),
  };
}
