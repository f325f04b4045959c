import { ErrorCode, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import type { ServiceBroker } from 'moleculer';
import { Problem } from '../../../../contract/problem.ts';
import type { ReadRequest } from '../../../../mixins/gateway/gateway-request.ts';
import { type HoldWaiting, SERVER_ERROR } from '../../../../mixins/gateway/mcp.ts';
import type { Reply } from '../../../../mixins/gateway/reply.ts';
import { callAction } from '../../../../mixins/gateway/steps/call.ts';
import { NotAcceptable } from '../../api.problems.ts';
import { errorResponse, RpcError } from '../json-rpc.ts';
import type { RpcResponse } from '../mcp.contract.ts';
import { type AcceptedForms, acceptedForms } from './accepted-forms.ts';
import { jsonReply, replyOf, streamReply } from './replies.ts';
import { streamProgress } from './stream-progress.ts';
import { waitOf } from './wait-of.ts';

/**
 * Answers a request of the Streamable HTTP transport: with JSON, or with events where the client accepts no JSON or
 * asks for the progress of a tool that waits. Null after a stream, and where the client has gone. Throws 406.
 */
export async function answerRequest(
  broker: ServiceBroker,
  request: ReadRequest,
  hold: HoldWaiting,
): Promise<Reply | null> {
  const accepts = acceptedForms(request.http.headers.accept);
  const refusal = refusalOf(request, accepts);
  if (refusal) return refusal;
  const toReply = accepts.json ? jsonReply : streamReply;
  const call = () => callAction(broker, withoutFaults(request)) as Promise<RpcResponse | null>;
  const wait = waitOf(request.params.message);
  if (!wait) return replyOf(await call(), toReply);
  return hold(async () =>
    accepts.stream && wait.progressToken !== undefined
      ? streamProgress(request, wait, call, broker.logger)
      : replyOf(await call(), toReply),
  );
}

/** The faults of values are those of a tool's arguments, which the call of the tool finds and tells the model. */
const withoutFaults = (request: ReadRequest): ReadRequest => ({ ...request, faults: [] });

/** The refusal of a request by its headers, its query, or keys that its text has twice; null for none. */
function refusalOf(
  { http, faults, params }: ReadRequest,
  { json, stream }: AcceptedForms,
): Reply | null {
  const version = http.headers['mcp-protocol-version'];
  const { method } = (params.message ?? {}) as { method?: unknown };
  if (version !== undefined && method !== 'initialize' && !isSupported(version)) {
    return refuse(400, SERVER_ERROR, `The protocol version must be one of ${VERSIONS}.`);
  }
  if (!json && !stream) {
    throw new Problem(NotAcceptable, 'The answer is application/json or text/event-stream.');
  }
  const fault = faults.find(({ in: place, code }) => place === 'query' || code === 'given_twice');
  return fault ? refuse(400, ErrorCode.InvalidRequest, `${fault.path}: ${fault.message}`) : null;
}

const VERSIONS = SUPPORTED_PROTOCOL_VERSIONS.join(', ');

const isSupported = (version: string | string[]): boolean =>
  typeof version === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(version);

const refuse = (status: number, code: number, message: string): Reply =>
  jsonReply(errorResponse(null, new RpcError(code, message)), status);
