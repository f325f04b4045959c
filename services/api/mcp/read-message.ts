import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { type RequestId, RpcError } from './json-rpc.ts';

/** A message of a client. Notifications and responses need no answer: the server keeps no session that they could concern. */
export type ClientMessage =
  | { kind: 'request'; id: RequestId; method: string; params: unknown }
  | { kind: 'unanswered' };

/** Reads a message of JSON-RPC 2.0. Throws an `RpcError` for a batch and for any other value that is no message. */
export function readMessage(message: unknown): ClientMessage {
  if (Array.isArray(message))
    throw invalid('Batches are not supported: send one message a request.');
  if (typeof message !== 'object' || message === null) throw invalid('A message is a JSON object.');
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  if (jsonrpc !== '2.0') throw invalid('A message has `jsonrpc: "2.0"`.');
  if (method === undefined && ('result' in message || 'error' in message)) return UNANSWERED;
  if (typeof method !== 'string') throw invalid('A message has a `method`.');
  if (id === undefined) return UNANSWERED;
  if (!isId(id)) throw invalid('The `id` of a request is a text or an integer.');
  return { kind: 'request', id, method, params };
}

const UNANSWERED: ClientMessage = { kind: 'unanswered' };

const isId = (id: unknown): id is RequestId =>
  typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));

const invalid = (message: string): RpcError => new RpcError(ErrorCode.InvalidRequest, message);
