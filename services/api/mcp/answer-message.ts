import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { errorResponse, RpcError, type RpcResult, resultResponse } from './json-rpc.ts';
import type { RpcResponse } from './mcp.contract.ts';
import type { McpCall } from './mcp-call.ts';
import { METHODS, type Method } from './methods/methods.ts';
import { type ClientMessage, readMessage } from './read-message.ts';

/** Characters of an unknown method that its error names. */
const MAX_METHOD_LENGTH = 100;

/**
 * Answers a message of the Model Context Protocol; null for a message that needs no answer. Each message stands alone:
 * there is no session. The dispatch is our own, with the schemas of the SDK, whose server has more cost than the calls
 * that it would carry (docs/decisions/mcp.md).
 */
export async function answerMessage(message: unknown, call: McpCall): Promise<RpcResponse | null> {
  let read: ClientMessage;
  try {
    read = readMessage(message);
  } catch (error) {
    if (error instanceof RpcError) return errorResponse(null, error);
    throw error;
  }
  if (read.kind === 'unanswered') return null;
  const { id, method, params } = read;
  try {
    return resultResponse(id, await callMethod(method, params, call));
  } catch (error) {
    return errorResponse(id, error instanceof RpcError ? error : unexpected(error, method, call));
  }
}

async function callMethod(name: string, params: unknown, call: McpCall): Promise<RpcResult> {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (!method) {
    const known = name.slice(0, MAX_METHOD_LENGTH);
    throw new RpcError(ErrorCode.MethodNotFound, `There is no method ${known} here.`);
  }
  return method.answer(paramsOf(method, name, params), call);
}

function paramsOf({ schema }: Method, name: string, params: unknown): never {
  const parsed = schema.safeParse({ method: name, ...(params === undefined ? {} : { params }) });
  if (parsed.success) return (parsed.data as { params?: unknown }).params as never;
  const { path = [], message = '' } = parsed.error.issues[0] ?? {};
  throw new RpcError(ErrorCode.InvalidParams, `${path.join('.') || 'params'}: ${message}`);
}

/** The error of a failure that the method does not know: the client learns nothing of it. */
function unexpected(error: unknown, method: string, { broker, requestId }: McpCall): RpcError {
  broker.logger.error({ err: error, method, requestId });
  return new RpcError(ErrorCode.InternalError, 'Something went wrong on our side.');
}
