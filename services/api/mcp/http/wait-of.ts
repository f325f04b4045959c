import { allTools } from '../../../tools/tools.ts';
import type { RequestId } from '../json-rpc.ts';

/** A request that waits for an event, as its message says. */
export interface WaitingRequest {
  id: RequestId;
  /** Milliseconds that the tool waits at most. */
  waitMs: number;
  /** The name of the client for its progress; undefined where the client asks for none. */
  progressToken: RequestId | undefined;
}

interface ToolMessage {
  id?: unknown;
  method?: unknown;
  params?: {
    name?: unknown;
    arguments?: Record<string, unknown> | null;
    _meta?: { progressToken?: unknown } | null;
  } | null;
}

/** Characters of a progress token. Each notification repeats the token; a client with a longer one gets no progress. */
const MAX_TOKEN_LENGTH = 256;

/**
 * The wait that a message asks for: the call of a tool whose operation waits. Null for any other message, and for one
 * whose values have other types, which the call refuses.
 */
export function waitOf(message: unknown): WaitingRequest | null {
  const { id, method, params } = (message ?? {}) as ToolMessage;
  const name = params?.name;
  if (method !== 'tools/call' || !isId(id) || typeof name !== 'string') return null;
  const parameter = allTools().get(name)?.contract.waitParam;
  const wait = parameter === undefined ? undefined : params?.arguments?.[parameter];
  const waitMs = isId(wait) ? Number(wait) : 0;
  if (!(waitMs > 0)) return null;
  const token = params?._meta?.progressToken;
  return { id, waitMs, progressToken: isShort(token) ? token : undefined };
}

const isId = (value: unknown): value is RequestId =>
  typeof value === 'string' || typeof value === 'number';

const isShort = (token: unknown): token is RequestId =>
  isId(token) && String(token).length <= MAX_TOKEN_LENGTH;
