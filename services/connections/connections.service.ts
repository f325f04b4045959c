import type { ServiceSchema } from 'moleculer';
import type { MasterKeys } from '../../environment/values/master-keys.ts';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { ApiDescriptionModel } from '../../models/api-description.model.ts';
import { AuthCredentialModel } from '../../models/auth-credential.model.ts';
import { CredentialTokenModel } from '../../models/credential-token.model.ts';
import { WorkspaceKeyModel } from '../../models/workspace-key.model.ts';
import { implement, on } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { createShareOwners } from '../share-owners/create-share-owners.ts';
import type { ShareOwners } from '../share-owners/share-owners.ts';
import { apiDescriptions } from './api-descriptions/api-descriptions.store.ts';
import { createApiDescription } from './api-descriptions/create-description.ts';
import { removeApiDescription } from './api-descriptions/remove-description.ts';
import { listApiDescriptions, showApiDescription } from './api-descriptions/show-description.ts';
import { updateApiDescription } from './api-descriptions/update-description.ts';
import { authCredentials } from './auth-credentials/auth-credentials.store.ts';
import { createAuthCredential } from './auth-credentials/create-credential.ts';
import { credentialUsersOf } from './auth-credentials/references/credential-users.ts';
import {
  findCredentials,
  releaseCredentials,
  reserveCredentials,
} from './auth-credentials/references/reservations.ts';
import { removeAuthCredential } from './auth-credentials/remove-credential.ts';
import { findSecretsToMask } from './auth-credentials/secret/secrets-to-mask.ts';
import { listAuthCredentials, showAuthCredential } from './auth-credentials/show-credential.ts';
import { updateAuthCredential } from './auth-credentials/update-credential.ts';
import { prepareCall } from './calls/prepare-call.ts';
import { SentSecretsSealer } from './calls/sent-secrets.ts';
import { connectionsContract } from './connections.contract.ts';
import { Envelope } from './envelope/envelope.ts';
import { KeyRotation } from './envelope/key-rotation.ts';
import { openTexts, sealTexts } from './envelope/foreign-texts.ts';
import { readOwnMasterKeys } from './envelope/master-keys.ts';
import { OutboundAccess } from './outbound-access.ts';
import { testApiDescription, testAuthCredential } from './test-call/test-calls.ts';
import { TestQueue } from './test-call/test-queue.ts';

/** Credentials of other systems, and the calls that are described to them. */
export function connectionsService(): ServiceSchema {
  const erasures = erasuresOf('connections', [
    AuthCredentialModel,
    CredentialTokenModel,
    ApiDescriptionModel,
    WorkspaceKeyModel,
  ]);
  let keys: MasterKeys | undefined;
  const masterKeys = () => {
    keys ??= readOwnMasterKeys();
    return keys;
  };
  const sealer = new Envelope(masterKeys);
  const sentSecrets = new SentSecretsSealer(sealer);
  let owners: ShareOwners;
  let access: OutboundAccess;
  let tests: TestQueue;
  return {
    name: 'connections',
    mixins: [erasures.mixin, Changes(authCredentials, apiDescriptions), KeyRotation(masterKeys)],
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
        createApiDescription: (ctx) => createApiDescription(ctx.params, changeOf(ctx)),
        updateApiDescription: (ctx) =>
          updateApiDescription(ctx.locals.resource, ctx.params, changeOf(ctx)),
        getApiDescription: (ctx) => showApiDescription(ctx.locals.resource),
        removeApiDescription: (ctx) => removeApiDescription(ctx.locals.resource, changeOf(ctx)),
        listApiDescriptions: (ctx) => listApiDescriptions(ctx.params),
        testAuthCredential: ({ params, locals: { resource } }) =>
          tests.run(resource.workspaceId, () => testAuthCredential(resource, params, access)),
        testApiDescription: ({ params, locals: { resource } }) =>
          tests.run(resource.workspaceId, () => testApiDescription(resource, params, access)),
        credentialsByIds: (ctx) => findCredentials(ctx.params),
        reserveCredentials: (ctx) => reserveCredentials(ctx.params),
        releaseCredentials: (ctx) => releaseCredentials(ctx.params),
        secretsToMask: (ctx) => findSecretsToMask(ctx.params, access),
        prepareCall: async (ctx) =>
          sentSecrets.sealCall(ctx.params.workspaceId, await prepareCall(ctx.params, access)),
        openSecrets: (ctx) => sentSecrets.open(ctx.params),
        sealTexts: (ctx) => sealTexts(ctx.params, sealer),
        openTexts: (ctx) => openTexts(ctx.params, sealer),
      },
      { authCredential: authCredentials.find, apiDescription: apiDescriptions.find },
    ),
    events: on(userVerified, () => owners.drop()),
    created() {
      masterKeys(); // a missing or damaged key ends the start
      owners = createShareOwners(this.broker, 'connections');
      access = new OutboundAccess(sealer, owners);
      tests = new TestQueue(owners);
    },
    async stopped() {
      await access.close();
    },
  };
}
