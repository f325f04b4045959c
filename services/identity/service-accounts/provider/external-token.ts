import type { createRemoteJWKSet, JWTPayload } from 'jose';
import { z } from 'zod';
import type { ServiceAccountCaller } from '../../../../contract/caller.ts';
import { publicUrl } from '../../../../environment/environment.ts';
import { isSafeProviderUrl } from '../../../../environment/values/provider-url.ts';
import { ServiceAccountModel } from '../../../../models/service-account.model.ts';
import { callerOf } from '../find-account.ts';
import { type StoredServiceAccount, serviceAccounts } from '../service-accounts.store.ts';
import { callProvider, outage, readText } from './provider-call.ts';

/** Asymmetric algorithms: a token that is signed with a shared secret, or not at all, is refused. */
const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
  'EdDSA',
];
/** Seconds that the provider's clock may differ. */
const CLOCK_TOLERANCE_S = 5;
/** Milliseconds between two requests for the provider's keys at least, whatever key ids tokens name. */
const KEYS_COOLDOWN_MS = 30_000;
/** Milliseconds for which the provider's keys and their address are used without asking again. */
const KEYS_MAX_AGE_MS = 10 * 60_000;
/** Milliseconds of a request for the keys. */
const KEYS_TIMEOUT_MS = 5_000;
/** Milliseconds between two attempts to read the discovery document. */
const DISCOVERY_RETRY_MS = 5_000;

const Discovery = z.object({
  issuer: z.string(),
  jwks_uri: z.string().refine(isSafeProviderUrl),
});

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** Verifies the access tokens of one issuer (RFC 9068), by its discovery document and its keys. */
export class ExternalTokens {
  readonly issuer: string;
  #keys: Promise<KeySet> | undefined;
  #retryAt = 0;

  constructor(issuer: string) {
    this.issuer = issuer;
  }

  /** The account whose client a token is for; null for a token that is not valid. Throws 503 without the keys. */
  async findCaller(token: string): Promise<ServiceAccountCaller | null> {
    if (issuerOf(token) !== this.issuer) return null;
    const payload = await this.#verify(token);
    const clientId = payload && clientOf(payload);
    if (!clientId) return null;
    const account = await ServiceAccountModel.findOne(
      { clientId, issuer: this.issuer },
      serviceAccounts.projection,
    )
      .lean<StoredServiceAccount>()
      .exec();
    return account && callerOf(account);
  }

  async #verify(token: string): Promise<JWTPayload | null> {
    const keys = await this.#keySet();
    try {
      const { jwtVerify } = await import('jose');
      const { payload } = await jwtVerify(token, keys, {
        issuer: this.issuer,
        audience: publicUrl,
        typ: 'at+jwt',
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'iat'],
        clockTolerance: CLOCK_TOLERANCE_S,
      });
      return payload;
    } catch (error) {
      const { code } = error as { code?: string };
      // Errors of jose say what is wrong with the token; any other is one of the provider.
      if (code?.startsWith('ERR_J') && code !== 'ERR_JWKS_TIMEOUT') return null;
      throw outage(`the keys: ${(error as Error).message}`);
    }
  }

  /** The keys of the issuer. A failure to find them is remembered for some seconds. */
  #keySet(): Promise<KeySet> {
    if (this.#keys) return this.#keys;
    if (performance.now() < this.#retryAt) throw outage('the discovery failed just now');
    this.#retryAt = performance.now() + DISCOVERY_RETRY_MS;
    const keys = discoverKeys(this.issuer);
    this.#keys = keys;
    keys.catch(() => {
      this.#keys = undefined;
    });
    return keys;
  }
}

async function discoverKeys(issuer: string): Promise<KeySet> {
  const path = '/.well-known/openid-configuration';
  const { status, body } = await callProvider(issuer.replace(/\/$/, '') + path);
  const parsed = Discovery.safeParse(body);
  if (status !== 200 || !parsed.success || parsed.data.issuer !== issuer) {
    throw outage(`the discovery document was answered ${status}, or is of another issuer`);
  }
  const jose = await import('jose');
  return jose.createRemoteJWKSet(new URL(parsed.data.jwks_uri), {
    cooldownDuration: KEYS_COOLDOWN_MS,
    cacheMaxAge: KEYS_MAX_AGE_MS,
    timeoutDuration: KEYS_TIMEOUT_MS,
    [jose.customFetch]: async (url, options) => {
      const response = await fetch(url, { ...options, redirect: 'error' });
      const { status } = response;
      return new Response(await readText(response), { status });
    },
  });
}

/** The issuer that a token names, before anything of it is verified. */
function issuerOf(token: string): unknown {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    return (JSON.parse(payload) as { iss?: unknown } | null)?.iss;
  } catch {
    return null;
  }
}

/** The client of a token: `client_id` (RFC 9068), or `azp` as older providers say. */
function clientOf({ client_id: clientId, azp }: JWTPayload): string | null {
  const found = clientId ?? azp;
  return typeof found === 'string' ? found : null;
}
