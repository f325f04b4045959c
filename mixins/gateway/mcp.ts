import type { ServiceBroker } from 'moleculer';
import { Forbidden, Problem } from '../../contract/problem.ts';
import type { IdentifiedRequest, ReadRequest } from './gateway-request.ts';
import type { ProblemAnswer } from './problem-response.ts';
import type { Reply } from './reply.ts';

/** Makes a call in a place among waiting requests; null where the client has gone. Throws 429 where there is no place. */
export type HoldWaiting = <T>(call: () => Promise<T>) => Promise<T | null>;

/** The Model Context Protocol behind a route with `protocol: 'mcp'`. The gateway knows only its form on HTTP. */
export interface McpAdapter {
  /** Answers a request; null where the response is sent or the client has gone. */
  answer: (broker: ServiceBroker, request: ReadRequest, hold: HoldWaiting) => Promise<Reply | null>;
  /** Whether pages of the origin may send messages. */
  isAllowedOrigin: (origin: string) => boolean;
  /** The address of the metadata that a 401 names (RFC 9728, section 5.1). */
  protectedResourceUrl: string;
}

/** Throws 403 for a request of a page whose origin may not send messages. */
export function assertOrigin({ http }: IdentifiedRequest, adapter: McpAdapter): void {
  const { origin } = http.headers;
  if (origin === undefined || adapter.isAllowedOrigin(origin)) return;
  throw new Problem(Forbidden, 'Pages of this origin may not send messages here.');
}

/** The statuses of failures that are problem documents, as those of other operations. */
export const MCP_PROBLEM_STATUSES: ReadonlySet<number> = new Set([401, 403, 405, 413, 429]);

/** The codes of JSON-RPC 2.0 for failures before a message is read. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;
/** The code for errors that a server defines. */
export const SERVER_ERROR = -32_000;

/** The reply with an error of JSON-RPC. Null for a failure that is a problem document. */
export function mcpErrorReply({ type, detail, retryAfter }: ProblemAnswer): Reply | null {
  if (MCP_PROBLEM_STATUSES.has(type.status)) return null;
  const error = { code: codeOf(type), message: detail };
  return {
    status: type.status,
    headers: {
      ...(retryAfter ? { 'Retry-After': String(retryAfter) } : {}),
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error }),
  };
}

function codeOf({ status, code }: ProblemAnswer['type']): number {
  if (status >= 500) return INTERNAL_ERROR;
  if (status !== 400) return SERVER_ERROR;
  return code === 'MALFORMED_BODY' ? PARSE_ERROR : INVALID_REQUEST;
}
