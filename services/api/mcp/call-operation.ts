import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { toolNameOf } from '../../../contract/tools.ts';
import { SERVER_ERROR } from '../../../mixins/gateway/mcp.ts';
import type { Actions } from '../../contracts.ts';
import { callOptions } from '../../tools/call-options.ts';
import { toolProblem } from '../../tools/tool-problem.ts';
import { allTools, isOfferedTo } from '../../tools/tools.ts';
import { RpcError } from './json-rpc.ts';
import type { McpCall } from './mcp-call.ts';

/** Whether the caller is offered the tool of the action. */
export function isOffered(operation: keyof Actions, { caller }: Pick<McpCall, 'caller'>): boolean {
  const tool = allTools().get(toolNameOf(operation));
  return tool !== undefined && isOfferedTo(tool, caller);
}

/**
 * Calls an action that is a tool, for its whole result. A problem is an `RpcError`, with `notFound` as its code for what
 * is not there or has no possible id.
 */
export async function callOperation<N extends keyof Actions & string>(
  call: McpCall,
  operation: N,
  params: Actions[N]['params'],
  notFound: number,
): Promise<Actions[N]['result']> {
  const tool = allTools().get(toolNameOf(operation));
  if (!tool || !isOfferedTo(tool, call.caller)) throw new RpcError(notFound, 'Nothing is there.');
  try {
    return await call.broker.call<Actions[N]['result'], Actions[N]['params']>(
      operation,
      params,
      callOptions(call),
    );
  } catch (error) {
    const { problem, isUnexpected } = toolProblem(tool.contract, error);
    const { broker, requestId } = call;
    if (isUnexpected) broker.logger.error({ err: error, action: operation, requestId });
    throw new RpcError(codeOf(problem.status, notFound), problem.detail, { problem });
  }
}

function codeOf(status: number, notFound: number): number {
  if (status === 400 || status === 404) return notFound;
  return status >= 500 ? ErrorCode.InternalError : SERVER_ERROR;
}
