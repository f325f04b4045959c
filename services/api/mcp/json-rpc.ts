import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

export type RequestId = string | number;

/** The result of a method. */
export type RpcResult = Record<string, unknown>;

/** A response of JSON-RPC 2.0. The id is null where the request has none that can be read. */
export const RpcResponse = z
  .strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.int()]).nullable(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z
      .strictObject({ code: z.int(), message: z.string(), data: z.unknown().optional() })
      .optional(),
  })
  .meta({ id: 'RpcResponse', description: 'A response of JSON-RPC 2.0: `result` or `error`' });
export type RpcResponse = z.output<typeof RpcResponse>;

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
