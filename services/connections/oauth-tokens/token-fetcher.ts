import { randomUUID } from 'node:crypto';
import type { OutboundClient } from '@workspace-automation/outbound-http';
import type { FieldSealer } from '../envelope/field-sealer.ts';
import { SealedTextError } from '../envelope/sealed-text-error.ts';
import {
  type ClientCredentials,
  CREDENTIAL_CHANGED,
  type OAuthCredential,
  type TokenResult,
  unavailable,
} from './access-token.ts';
import { holdLease } from './held-lease.ts';
import { sealToken } from './sealed-token.ts';
import { type AuthenticatedAnswer, requestToken } from './token-request.ts';
import { releaseLease, storeFailure, storeToken, type TokenLease } from './token-store.ts';
import type { TokenTiming } from './token-timing.ts';

export interface FetchTools {
  outbound: OutboundClient;
  sealer: FieldSealer;
  timing: TokenTiming;
  /** Aborts requests: the process stops. */
  stopping: AbortSignal;
}

export interface FetchOrder {
  credential: OAuthCredential;
  secret: ClientCredentials;
  /** The lease of the credential's stored token, which the fetch ends. */
  lease: TokenLease;
  /** Whether the token replaces one that a server has refused. */
  replacesRefused: boolean;
  timeoutMs: number;
}

/** Asks the token endpoint and stores the result. Null when the lease was lost, so that the result does not count. */
export async function fetchToken(
  order: FetchOrder,
  tools: FetchTools,
): Promise<TokenResult | null> {
  const { secret, lease, timeoutMs } = order;
  const { outbound, timing, stopping } = tools;
  const { authentication } = lease.claimed;
  return holdLease(lease, timing, stopping, async (signal) => {
    const request = { credentials: secret, authentication, timeoutMs, signal };
    const given = await requestToken(outbound, request);
    if (stopping.aborted) {
      await releaseLease(lease);
      return unavailable('The token endpoint gave no answer before the service stopped.');
    }
    return given.answer.kind === 'token'
      ? keepToken(order, given.answer, given.authentication, tools)
      : keepFailure(order, given.answer, tools);
  });
}

type TokenAnswer = AuthenticatedAnswer['answer'];

async function keepToken(
  { credential, lease, replacesRefused }: FetchOrder,
  { value, lifetimeMs }: Extract<TokenAnswer, { kind: 'token' }>,
  authentication: AuthenticatedAnswer['authentication'],
  { sealer, timing }: FetchTools,
): Promise<TokenResult | null> {
  const id = randomUUID();
  const sealed = await sealToken(sealer, credential, value).catch(noDataKey);
  if (sealed === null) return CREDENTIAL_CHANGED;
  const keepMs = replacesRefused ? timing.keepMs : null;
  const isStored = await storeToken(lease, { id, sealed, lifetimeMs, authentication, keepMs });
  return isStored ? { ok: true, value, tokenId: id } : null;
}

/** Null for a workspace without a data key, which was deleted; its erasure removes the credential and the lease. */
function noDataKey(error: unknown): null {
  if (error instanceof SealedTextError) return null;
  throw error;
}

async function keepFailure(
  { lease }: FetchOrder,
  { kind, detail }: Exclude<TokenAnswer, { kind: 'token' }>,
  { timing }: FetchTools,
): Promise<TokenResult | null> {
  const code = kind === 'refused' ? 'TOKEN_REFUSED' : 'TOKEN_UNAVAILABLE';
  const count = (lease.claimed.failure?.count ?? 0) + 1;
  const firstMs = kind === 'refused' ? timing.refusedMs : timing.unavailableMs;
  const backoffMs = Math.min(timing.maxBackoffMs, firstMs * 2 ** (count - 1));
  const isStored = await storeFailure(lease, { code, detail, count, backoffMs });
  return isStored ? { ok: false, code, detail } : null;
}
