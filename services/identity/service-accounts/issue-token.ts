import { randomUUID, timingSafeEqual } from 'node:crypto';
import { InvalidRequest, Problem } from '../../../contract/problem.ts';
import {
  type ServiceAccountDocument,
  ServiceAccountModel,
} from '../../../models/service-account.model.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Params } from '../../contracts.ts';
import type { CallContext } from '../call-context.ts';
import { InvalidClient, InvalidScope, UnsupportedGrantType } from '../identity.problems.ts';
import { ACCESS_TOKEN_SECONDS } from '../contract/fields.ts';
import { signToken } from '../sessions/access-token.ts';
import { type ClientCredentials, credentialsOf } from './client-credentials.ts';

interface TokenContext extends Pick<CallContext, 'client' | 'limits' | 'log'> {
  /** The issuer of all tokens of service accounts; null for this service. */
  issuer: string | null;
}

/**
 * Issues an access token for the credentials of a service account. An unknown client and a wrong secret take the same
 * work, and get the same answer.
 */
export async function issueToken(request: Params<'identity.token'>, context: TokenContext) {
  const { client, limits, issuer, log } = context;
  if (issuer) throw otherIssuer(issuer);
  assertGrantType(request.grant_type);
  const credentials = credentialsOf(request);
  await limits.admitClient(credentials.clientId, client);
  const account = await findByClient(credentials.clientId);
  const isRight = isSecretOf(account, credentials);
  if (!account || !isRight) {
    log('service-account.token-refused', { accountId: account?._id ?? null });
    throw new Problem(InvalidClient, 'The client id or the client secret is wrong.');
  }
  if (request.scope !== undefined) {
    throw new Problem(InvalidScope, 'There are no scopes: the role of the account decides.');
  }
  const { _id: id, credentialId: sid, clientId } = account;
  const claims = { client_id: clientId, jti: randomUUID() };
  return {
    access_token: signToken({ holder: 'service-account', id, sid }, claims),
    token_type: 'Bearer' as const,
    expires_in: ACCESS_TOKEN_SECONDS,
  };
}

const otherIssuer = (issuer: string): Problem =>
  new Problem(UnsupportedGrantType, `Tokens of service accounts are issued by ${issuer}.`);

function assertGrantType(grantType: string | undefined): void {
  if (grantType === undefined) throw new Problem(InvalidRequest, 'grant_type is required.');
  if (grantType !== 'client_credentials') {
    throw new Problem(UnsupportedGrantType, 'grant_type must be client_credentials.');
  }
}

const findByClient = (clientId: string): Promise<ServiceAccountDocument | null> =>
  ServiceAccountModel.findOne({ clientId, issuer: null }, { outbox: 0 }).lean().exec();

/** The hash that stands for the missing one of an unknown client. No secret has this hash. */
const NO_HASH = '-'.repeat(hashOf('').length);

function isSecretOf(
  account: ServiceAccountDocument | null,
  { clientSecret }: ClientCredentials,
): boolean {
  const stored = account?.secretHash ?? NO_HASH;
  return timingSafeEqual(Buffer.from(hashOf(clientSecret)), Buffer.from(stored));
}
