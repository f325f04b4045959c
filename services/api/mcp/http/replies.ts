import type { Reply } from '../../../../mixins/gateway/reply.ts';
import type { RpcResponse } from '../mcp.contract.ts';

/** Makes the reply of a response in one of the forms of the transport. */
export type ToReply = (response: RpcResponse) => Reply;

/** The reply of an answer to a message: 202 without a response, 400 for a message that could not be read. */
export function replyOf(response: RpcResponse | null, toReply: ToReply): Reply {
  if (response === null) return { status: 202, headers: NOT_STORED, body: null };
  return response.id === null ? jsonReply(response, 400) : toReply(response);
}

const NOT_STORED = { 'Cache-Control': 'no-store' };

export const jsonReply = (response: RpcResponse, status = 200): Reply => ({
  status,
  headers: { ...NOT_STORED, 'Content-Type': 'application/json; charset=utf-8' },
  body: JSON.stringify(response),
});

/** The headers of a stream of events. nginx would collect the events without `X-Accel-Buffering`. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  ...NOT_STORED,
  'Content-Type': 'text/event-stream; charset=utf-8',
  'X-Accel-Buffering': 'no',
};

/** The event that carries a message to the client. */
export const eventOf = (message: object): string =>
  `event: message\ndata: ${JSON.stringify(message)}\n\n`;

/** A stream with the one event of the response. */
export const streamReply: ToReply = (response) => ({
  status: 200,
  headers: STREAM_HEADERS,
  body: eventOf(response),
});
