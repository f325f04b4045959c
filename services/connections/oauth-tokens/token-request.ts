import { type OutboundClient, OutboundError } from '@workspace-automation/outbound-http';
import type { ClientAuthentication } from '../../../models/credential-token.model.ts';
import type { ClientCredentials } from './access-token.ts';
import { authenticatedForm } from './client-authentication.ts';
import { readTokenResponse, type TokenAnswer } from './token-response.ts';

/** Bytes of an answer, decoded. A longer answer has no token. */
const MAX_BYTES = 64 * 1024;

export interface TokenRequest {
  credentials: ClientCredentials;
  /** The kind of client authentication that is tried first. */
  authentication: ClientAuthentication;
  /** Milliseconds for both attempts together. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** The answer of a token endpoint, with the kind of client authentication that the answer is for. */
export interface AuthenticatedAnswer {
  answer: TokenAnswer;
  authentication: ClientAuthentication;
}

/**
 * Asks a token endpoint for an access token (RFC 6749, section 4.4). An endpoint that does not know the client may
 * take the other kind of client authentication only, and is asked once more with it.
 */
export async function requestToken(
  outbound: OutboundClient,
  { credentials, authentication, timeoutMs, signal }: TokenRequest,
): Promise<AuthenticatedAnswer> {
  const end = performance.now() + timeoutMs;
  const ask = async (kind: ClientAuthentication): Promise<AuthenticatedAnswer> => {
    const timeLeft = end - performance.now();
    const answer = await send(
      outbound,
      credentials,
      kind,
      Math.max(1, Math.ceil(timeLeft)),
      signal,
    );
    return { answer, authentication: kind };
  };
  const first = await ask(authentication);
  if (!isUnknownClient(first.answer)) return first;
  const second = await ask(authentication === 'basic' ? 'post' : 'basic');
  return tellsMore(second.answer, first.answer) ? second : first;
}

/**
 * Whether the other kind of client authentication may be taken: by RFC 6749 the endpoint then answers
 * `invalid_client`. Endpoints that read only the form miss `client_id` there, which is `invalid_request`.
 */
const isUnknownClient = (answer: TokenAnswer): boolean =>
  answer.kind === 'refused' &&
  (answer.error === null || ['invalid_client', 'invalid_request'].includes(answer.error));

/** Whether the second answer says more than the first: a token, or a refusal for a reason of its own. */
const tellsMore = (second: TokenAnswer, first: TokenAnswer): boolean => {
  if (second.kind === 'token') return true;
  if (second.kind !== 'refused' || second.error === null) return false;
  const isFirstVague = first.kind === 'refused' && first.error !== 'invalid_client';
  return isFirstVague || !['invalid_client', 'invalid_request'].includes(second.error);
};

async function send(
  outbound: OutboundClient,
  credentials: ClientCredentials,
  authentication: ClientAuthentication,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const { secretHeaders, body } = authenticatedForm(credentials, authentication);
  const startedAt = performance.now();
  try {
    const response = await outbound.send({
      method: 'POST',
      url: credentials.tokenUrl,
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
      secretHeaders,
      body,
      timeoutMs,
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
      signal,
    });
    return aged(readTokenResponse(response), performance.now() - startedAt);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { kind: 'unavailable', detail: `The token endpoint gave no answer. ${error.message}` };
  }
}

/** Takes the time of the request off the lifetime: the token may be that old. */
const aged = (answer: TokenAnswer, ms: number): TokenAnswer =>
  answer.kind === 'token' ? { ...answer, lifetimeMs: Math.max(0, answer.lifetimeMs - ms) } : answer;
