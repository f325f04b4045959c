import { type Answer, type RequestOptions, request } from './http.ts';

/** A response of JSON-RPC. */
export interface RpcAnswer<T = Record<string, unknown>> {
  jsonrpc: '2.0';
  id: number | string | null;
  result?: T;
  error?: { code: number; message: string; data?: unknown };
}

/** The result of `tools/call`. */
export interface ToolCallResult<T = Record<string, unknown>> {
  content: { type: string; text: string }[];
  structuredContent?: T;
  isError?: boolean;
}

/** Sends one message as clients of the protocol do. */
export const sendMessage = <T = Record<string, unknown>>(
  url: string,
  message: unknown,
  { headers, ...options }: RequestOptions = {},
): Promise<Answer<RpcAnswer<T>>> =>
  request(url, 'POST', '/mcp', {
    body: message,
    ...options,
    headers: { accept: 'application/json, text/event-stream', ...headers },
  });

let lastId = 0;

/** Calls a method. Returns the response, whose status must be 200. */
export async function callMethod<T = Record<string, unknown>>(
  url: string,
  method: string,
  params: unknown,
  options: RequestOptions,
): Promise<RpcAnswer<T>> {
  const message = { jsonrpc: '2.0', id: ++lastId, method, params };
  const { status, body, text } = await sendMessage<T>(url, message, options);
  if (status !== 200) throw new Error(`${method} answered ${status}: ${text}`);
  if (body.id !== message.id) throw new Error(`${method} answered another request: ${text}`);
  return body;
}

/** Calls a tool. Returns its result, which may have `isError`. */
export async function callTool<T = Record<string, unknown>>(
  url: string,
  name: string,
  args: unknown,
  options: RequestOptions,
): Promise<ToolCallResult<T>> {
  const params = { name, arguments: args };
  const { result, error } = await callMethod<ToolCallResult<T>>(url, 'tools/call', params, options);
  if (!result) throw new Error(`${name}: ${error?.code} ${error?.message}`);
  return result;
}

/** The problem in a result with `isError`. */
export function problemIn({ isError, content }: ToolCallResult<unknown>): Record<string, unknown> {
  if (!isError) throw new Error(`the tool answered ${content[0]?.text}`);
  return JSON.parse(content[0]?.text ?? '');
}
