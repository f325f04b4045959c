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

/** The wait that a message asks for: the call of a tool whose operation waits. Null for any other message. */
export function waitOf(message: unknown): WaitingRequest | null {
  const { id, method, params } = (message ?? {}) as ToolMessage;
  if (method !== 'tools/call' || !isId(id)) return null;
  const parameter = allTools().get(String(params?.name))?.contract.waitParam;
  const waitMs = parameter === undefined ? 0 : Number(params?.arguments?.[parameter]);
  if (!(waitMs > 0)) return null;
  const progressToken = params?._meta?.progressToken;
  return { id, waitMs, progressToken: isId(progressToken) ? progressToken : undefined };
}

const isId = (value: unknown): value is RequestId =>
  typeof value === 'string' || typeof value === 'number';
