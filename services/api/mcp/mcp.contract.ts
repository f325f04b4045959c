import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { AnyJson } from '../../../contract/fields.ts';
import { Forbidden } from '../../../contract/problem.ts';
import { TooManyWaiting } from '../../../contract/quota.ts';
import { NotAcceptable } from '../api.problems.ts';

/** Bytes of a message, as of a body with a flow file. */
const MESSAGE_BYTES = 1024 * 1024;
/** Levels of a message: 99 of a step's edit, with the objects around it. */
const MESSAGE_DEPTH = 110;
/** JSON values of a message: those of a run's input, which has the most, with the values around it. */
const MESSAGE_VALUES = 151_000;
/** Milliseconds of the deadline of a message, longer than that of any tool. */
const MESSAGE_MS = 150_000;

const pingMessage = { jsonrpc: '2.0', id: 1, method: 'ping' };

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

/** The operations of the Model Context Protocol. */
export const mcpActions = {
  mcp: action({
    summary: 'Send a message of the Model Context Protocol (Streamable HTTP)',
    description:
      'Without sessions: each request stands alone, and `initialize` may be left out. One message a request, no batches; a notification is answered 202. The answer is JSON, or a stream of server-sent events for a client that accepts no JSON, and for a call with a `progressToken` (at most 256 characters) of a tool that waits for a run. Errors of messages are those of JSON-RPC; 401, 403, 405, 413 and 429 are problems. Each tool is an operation of this interface, called with the rights of the caller. Requests of browsers have to come from an allowed origin.',
    route: 'POST /mcp',
    tool: { none: 'it is the way to the tools' },
    protocol: 'mcp',
    audit: { none: 'each tool has the entry of its own operation' },
    idempotency: { none: 'a message of the protocol has no key' },
    access: { who: 'authenticated', keys: 'any' },
    body: { message: AnyJson },
    wholeBody: 'message',
    bodyLimit: MESSAGE_BYTES,
    bodyDepth: MESSAGE_DEPTH,
    bodyValues: MESSAGE_VALUES,
    timeoutMs: MESSAGE_MS,
    result: RpcResponse.nullable(),
    otherStatus: {
      status: 202,
      description: 'The message needs no answer',
      when: (response: unknown) => response === null,
      empty: true,
    },
    errors: [Forbidden, NotAcceptable, TooManyWaiting],
    example: { body: pingMessage, answer: { jsonrpc: '2.0', id: 1, result: {} } },
  }),
  mcpResource: action({
    summary: 'Where clients of the Model Context Protocol get their tokens (RFC 9728)',
    route: 'GET /.well-known/oauth-protected-resource/mcp',
    tool: { none: 'it is for programs that authenticate themselves' },
    access: { who: 'public' },
    result: z.strictObject({
      resource: z.string(),
      authorization_servers: z.array(z.string()),
      bearer_methods_supported: z.array(z.string()),
    }),
    idempotent: true,
    example: {
      answer: {
        resource: 'https://automation.example.com/mcp',
        authorization_servers: ['https://automation.example.com'],
        bearer_methods_supported: ['header'],
      },
    },
  }),
};
