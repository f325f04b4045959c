import type { ServiceBroker } from 'moleculer';
import type { Caller } from '../../contract/caller.ts';
import type { Client } from '../../contract/client.ts';
import type { Tool } from '../../contract/tools.ts';
import { callOptions } from './call-options.ts';
import { readArguments } from './read-arguments.ts';
import { type ToolAnswer, toolAnswer } from './tool-answer.ts';
import { type ToolProblem, toolProblem } from './tool-problem.ts';

/** The caller for whom a model calls a tool, and the request that the call is part of. */
export interface ToolRequest {
  caller: Caller;
  client?: Client | undefined;
  requestId?: string | undefined;
  traceparent?: string | undefined;
  /** The one workspace in which the call may act: see `middlewares/access/workspace-bound.ts`. */
  onlyWorkspaceId?: number | undefined;
  /** The id that is reserved for the resource that the call creates, so that a repetition creates no second one. */
  reservedId?: number | undefined;
}

/** The outcome of a call, as a model is told: the answer of the operation, or its problem. */
export type ToolOutcome =
  | ({ isError: false } & ToolAnswer)
  | { isError: true; problem: ToolProblem };

/**
 * Calls the action of a tool for its caller, with the checks of a request over HTTP: bounds of the arguments, access,
 * validation, deadline. The audit entry of a change has `via: assistant`. A failure is an outcome and is not thrown.
 */
export async function callTool(
  broker: ServiceBroker,
  { operation, contract }: Pick<Tool, 'operation' | 'contract'>,
  args: unknown,
  request: ToolRequest,
): Promise<ToolOutcome> {
  try {
    const { params, faults } = readArguments(contract, args);
    const call = (more: Record<string, unknown> = {}) =>
      broker.call<unknown, Record<string, unknown>>(
        operation,
        { ...params, ...more },
        callOptions(request, faults), // made anew: a call in this process takes fields out of its meta
      );
    return { isError: false, ...(await toolAnswer(contract, call)) };
  } catch (error) {
    const { problem, isUnexpected } = toolProblem(contract, error);
    const { requestId } = request;
    if (isUnexpected) broker.logger.error({ err: error, action: operation, requestId });
    return { isError: true, problem };
  }
}
