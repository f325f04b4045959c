import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { RpcResponse } from './mcp.contract.ts';

export type RequestId = string | number;

/** The result of a method. */
export type RpcResult = Record<string, unknown>;

/** A request for a resource that does not exist, or not for this caller (MCP, "Resources"). */
export const RESOURCE_NOT_FOUND = -32002;

/** A failure of a method, which the client gets with this code and message. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

export const invalidParams = (message: string): RpcError =>
  new RpcError(ErrorCode.InvalidParams, message);

export const resultResponse = (id: RequestId, result: RpcResult): RpcResponse => ({
  jsonrpc: '2.0',
  id,
  result,
});

export const errorResponse = (
  id: RequestId | null,
  { code, message, data }: Pick<RpcError, 'code' | 'message' | 'data'>,
): RpcResponse => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
