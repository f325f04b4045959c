import type { Params } from '../../../contracts.ts';
import type { FieldSealer } from '../../envelope/field-sealer.ts';
import type { OAuthTokens } from '../../oauth-tokens/oauth-tokens.ts';
import { authCredentials, type StoredAuthCredential } from '../auth-credentials.store.ts';
import { secretValuesOf } from './request-secret.ts';
import { openSecret } from './sealed-secret.ts';

interface MaskTools {
  sealer: FieldSealer;
  tokens: Pick<OAuthTokens, 'valuesToMask'>;
}

/** The values of the workspace's credentials among those given, for masks. A deleted credential has none. */
export async function findSecretsToMask(
  { workspaceId, credentialIds }: Params<'connections.secretsToMask'>,
  tools: MaskTools,
): Promise<{ secrets: string[] }> {
  const found = await Promise.all([...new Set(credentialIds)].map(authCredentials.find));
  const own = found.filter((credential) => credential?.workspaceId === workspaceId);
  const secrets = await Promise.all(
    own.map((credential) => (credential ? valuesOf(credential, tools) : [])),
  );
  return { secrets: secrets.flat() };
}

async function valuesOf(
  credential: StoredAuthCredential,
  { sealer, tokens }: MaskTools,
): Promise<string[]> {
  const values = secretValuesOf(await openSecret(sealer, credential));
  if (credential.authType !== 'OAUTH2_CLIENT_CREDENTIALS') return values;
  const { _id: id, workspaceId } = credential;
  return [...values, ...(await tokens.valuesToMask({ id, workspaceId }))];
}
