import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { ServiceBroker } from 'moleculer';
import type { ReadRequest } from '../../../../mixins/gateway/gateway-request.ts';
import { errorResponse } from '../json-rpc.ts';
import type { RpcResponse } from '../mcp.contract.ts';
import { eventOf, STREAM_HEADERS } from './replies.ts';
import type { WaitingRequest } from './wait-of.ts';

/** Milliseconds between two notifications of progress. */
const PROGRESS_MS = 1_000;

/**
 * Answers a waiting call with a stream: a notification of progress each second, and the response at the end. A client
 * that disconnects gets no more of it; the call itself goes on to its end.
 */
export async function streamProgress(
  { response: http, requestId }: ReadRequest,
  { id, waitMs, progressToken }: WaitingRequest,
  call: () => Promise<RpcResponse | null>,
  logger: ServiceBroker['logger'],
): Promise<null> {
  http.writeHead(200, STREAM_HEADERS);
  http.flushHeaders();
  const started = performance.now();
  const notify = () => {
    const elapsedMs = Math.min(waitMs, Math.round(performance.now() - started));
    const params = { progressToken, progress: elapsedMs, total: waitMs, message: WAITING };
    http.write(eventOf({ jsonrpc: '2.0', method: 'notifications/progress', params }));
  };
  const timer = setInterval(notify, PROGRESS_MS);
  http.once('close', () => clearInterval(timer));
  try {
    const response = await call();
    if (!http.closed && response) http.end(eventOf(response));
  } catch (error) {
    logger.error({ err: error, requestId });
    if (!http.closed) http.end(eventOf(errorResponse(id, FAILED)));
  } finally {
    clearInterval(timer);
  }
  return null;
}

const WAITING = 'Milliseconds of the wait for the end of the run';

const FAILED = {
  code: ErrorCode.InternalError,
  message: 'Something went wrong on our side.',
  data: undefined,
};
