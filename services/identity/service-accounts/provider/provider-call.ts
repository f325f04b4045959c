import { Problem } from '../../../../contract/problem.ts';
import { logger } from '../../../../support/logging.ts';
import { IdentityProviderUnavailable } from '../../identity.problems.ts';

/** Milliseconds that one call of the provider may take, its body included. Beyond them the answer is 503. */
const CALL_MS = 5_000;
/** Bytes of an answer of the provider. A longer answer is cut off and counts as an outage. */
const MAX_BYTES = 256 * 1024;
/** Seconds after which a client may try again. */
const RETRY_AFTER_S = 5;

interface ProviderRequest {
  method?: 'GET' | 'POST' | 'DELETE';
  token?: string | undefined;
  body?: object;
}

export interface ProviderAnswer {
  status: number;
  /** The parsed body; null for a body that is not JSON. */
  body: unknown;
}

/** The provider cannot be reached, or does not answer as its standard says. */
export class ProviderOutage extends Problem {
  /** Whether the provider may have carried out the request all the same. */
  readonly mayBeDone: boolean;

  constructor(mayBeDone: boolean) {
    super(IdentityProviderUnavailable, 'The identity provider cannot be reached at the moment.', {
      retryAfter: RETRY_AFTER_S,
    });
    this.mayBeDone = mayBeDone;
  }
}

/** Logs why the provider is of no use now, and makes the 503 for the caller, who learns no details. */
export function outage(reason: string, mayBeDone = false): ProviderOutage {
  logger.warn({ reason }, 'The identity provider failed');
  return new ProviderOutage(mayBeDone);
}

/** Calls the provider. Follows no redirect; an answer of 429 or 5xx is an outage. */
export async function callProvider(
  url: string,
  { method = 'GET', token, body }: ProviderRequest = {},
): Promise<ProviderAnswer> {
  const answer = await send(url, {
    method,
    redirect: 'error',
    signal: AbortSignal.timeout(CALL_MS),
    headers: {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const { status } = answer;
  if (status === 429 || status >= 500) throw outage(`${method} answered ${status}`, status >= 500);
  return answer;
}

async function send(url: string, init: RequestInit): Promise<ProviderAnswer> {
  try {
    const response = await fetch(url, init);
    return { status: response.status, body: parse(await readText(response)) };
  } catch (error) {
    const { cause, message } = error as Error;
    const code = String((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
    throw outage(`${init.method} failed: ${code || message}`, !NOT_SENT.has(code));
  }
}

/** The errors of a connection that was never made. */
const NOT_SENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH']);

/** The text of an answer; throws for more than `MAX_BYTES`. */
export async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
