import type { ServiceBroker } from 'moleculer';
import type { Caller } from '../../../../contract/caller.ts';
import type { Client } from '../../../../contract/client.ts';
import { toolNameOf } from '../../../../contract/tools.ts';
import { callTool, type ToolOutcome } from '../../../tools/call-tool.ts';
import { allTools } from '../../../tools/tools.ts';
import { type CallOutcome, failed, outcomeOf } from '../../tools/call-outcome.ts';
import type { StoredCall } from '../answer-record.ts';

/** For whom, and within which request, calls are made. */
export interface RunnerOptions {
  broker: ServiceBroker;
  caller: Caller;
  /** The only workspace of the calls. */
  workspaceId: number;
  client?: Client | undefined;
  requestId?: string | undefined;
}

/** The status of a call that may have been carried out after its deadline. */
const DEADLINE_PASSED = 504;

/** Carries out calls of operations for the person of a conversation, in its workspace alone. */
export class CallRunner {
  readonly #options: RunnerOptions;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Calls the operation. `bytes` is the room for its result. */
  async run(call: StoredCall, bytes: number): Promise<CallOutcome> {
    const tool = allTools().get(toolNameOf(call.operation));
    if (!tool) return failed({ code: 'NO_SUCH_TOOL', detail: 'The tool does not exist any more.' });
    const { broker, caller, workspaceId, client, requestId } = this.#options;
    const reservedId = call.reservedId ?? undefined;
    const request = { caller, client, requestId, onlyWorkspaceId: workspaceId, reservedId };
    const args = JSON.parse(call.arguments);
    const outcome = await callTool(broker, tool, args, request);
    return outcomeOf(isUnknown(outcome, call) ? withDoubt(outcome) : outcome, bytes);
  }
}

type Problem = ToolOutcome & { isError: true };

/** Whether a change may have been made although its call has failed. */
const isUnknown = (outcome: ToolOutcome, { decidedAt }: StoredCall): outcome is Problem =>
  outcome.isError && outcome.problem.status === DEADLINE_PASSED && decidedAt !== null;

function withDoubt(outcome: Problem): Problem {
  const { problem } = outcome;
  const detail = `${problem.detail} It may have been carried out: look before it is repeated.`;
  return { ...outcome, problem: { ...problem, detail } };
}
