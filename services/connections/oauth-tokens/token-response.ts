import type { OutboundResponse } from '@workspace-automation/outbound-http';

/** What a token endpoint has answered. Details are sentences without any part of the answer. */
export type TokenAnswer =
  | { kind: 'token'; value: string; lifetimeMs: number }
  /** The endpoint has refused the client. `error` is its code, where RFC 6749 lists the code. */
  | { kind: 'refused'; error: TokenError | null; detail: string }
  | { kind: 'unavailable'; detail: string };

/** The error codes of a token endpoint (RFC 6749, section 5.2). Other codes are not shown. */
const TOKEN_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
] as const;
export type TokenError = (typeof TOKEN_ERRORS)[number];

/** Statuses by which an endpoint refuses the client, with or without an error code. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403]);
/**
 * Visible ASCII, 8 KiB at most: any other token could not be sent in a header, or not to every server. A token of less
 * than 8 characters could not be masked.
 */
const TOKEN = /^[\x21-\x7e]{8,8192}$/;
/** The lifetime in seconds, also as text, as some endpoints send it. */
const SECONDS = /^[0-9]{1,15}$/;
/** Seconds of a token whose answer has no `expires_in`. */
const DEFAULT_SECONDS = 300;
/** Seconds for which a token is used at most; then another is fetched. */
const MAX_SECONDS = 86_400;

/** Reads the answer of a token endpoint (RFC 6749, section 5). The answer may be hostile. */
export function readTokenResponse({
  status,
  body,
}: Pick<OutboundResponse, 'status' | 'body'>): TokenAnswer {
  const answer = parseObject(body);
  const error = TOKEN_ERRORS.find((code) => code === answer?.get('error')) ?? null;
  if (REFUSALS.has(status) || (error && status < 500)) return refusalOf(status, error);
  if (status < 200 || status > 299) return unavailable(`answered with status ${status}`);
  if (!answer) return unavailable('did not answer with a JSON object');
  return readToken(answer);
}

function refusalOf(status: number, error: TokenError | null): TokenAnswer {
  const reason = error ? `"${error}"` : `status ${status}`;
  const detail = `The token endpoint refused the client of the credential with ${reason}.`;
  return { kind: 'refused', error, detail };
}

const unavailable = (what: string): TokenAnswer => ({
  kind: 'unavailable',
  detail: `The token endpoint ${what}.`,
});

function readToken(answer: ReadonlyMap<string, unknown>): TokenAnswer {
  const value = answer.get('access_token');
  const type = answer.get('token_type');
  const seconds = readSeconds(answer.get('expires_in'));
  if (typeof value !== 'string') return unavailable('answered without an access token');
  if (!TOKEN.test(value)) {
    return unavailable(
      'answered with an access token that is too short, too long or not visible ASCII',
    );
  }
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    return unavailable('answered with a token whose type is not "Bearer"');
  }
  if (seconds === null) return unavailable('answered with an "expires_in" that is no lifetime');
  return { kind: 'token', value, lifetimeMs: Math.min(seconds, MAX_SECONDS) * 1_000 };
}

/** The seconds of `expires_in`, at least 1; null for any other value. */
function readSeconds(value: unknown): number | null {
  if (value === undefined || value === null) return DEFAULT_SECONDS;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !SECONDS.test(text)) return null;
  return Number(text) || null;
}

/** The members of a JSON object, `__proto__` among them as any other name; null for any other text. */
function parseObject(body: Uint8Array): ReadonlyMap<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? new Map(Object.entries(value)) : null;
  } catch {
    return null;
  }
}
