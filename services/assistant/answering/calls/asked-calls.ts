import { type ActionContract, paramsOf, placeOf } from '../../../../contract/contract.ts';
import type { Tool } from '../../../../contract/tools.ts';
import { invalidRequest } from '../../../../contract/problem.ts';
import { faultsOf } from '../../../../contract/zod-faults.ts';
import type { AskedCall } from '../../model/model-step.ts';
import { type CallOutcome, failed } from '../../tools/call-outcome.ts';
import { isReading, type Tools } from '../../tools/offered-tools.ts';
import { MAX_ARGUMENTS_BYTES, MAX_CALLS_PER_STEP } from '../limits.ts';

/** A call of a tool with arguments that fit it, or what is wrong with the call. */
export type CheckedCall =
  | { tool: Tool; arguments: Record<string, unknown>; isReading: boolean }
  | { operation: string; arguments: unknown; outcome: CallOutcome };

/** Characters of the name of a tool that does not exist, and of arguments that fit no tool, in the transcript. */
const MAX_NAME_CHARS = 100;
const MAX_WRONG_CHARS = 2_000;
/** Faults of the arguments of one call that the model is told. */
const MAX_FAULTS = 20;

/**
 * Checks the calls of one step. `bytes` is the room for the arguments of all calls. Calls beyond the limit of a step
 * become one wrong call.
 */
export function checkCalls(
  asked: readonly AskedCall[],
  tools: Tools,
  workspaceId: number,
  bytes: number,
): CheckedCall[] {
  let left = bytes;
  const checked = asked.slice(0, MAX_CALLS_PER_STEP).map((each) => {
    const call = checkCall(each, tools, workspaceId, left);
    left -= Buffer.byteLength(JSON.stringify(call.arguments) ?? '');
    return call;
  });
  const next = asked[MAX_CALLS_PER_STEP];
  if (!next) return checked;
  const detail = `A step may have ${MAX_CALLS_PER_STEP} calls: ${asked.length - MAX_CALLS_PER_STEP} were not carried out.`;
  return [...checked, wrong({ ...next, arguments: {} }, 'TOO_MANY_CALLS', detail)];
}

/**
 * Checks what the model asks for, before anything is done or a person is asked. `bytesLeft` is the room for the
 * arguments. A call without a workspace is one in that of the conversation.
 */
function checkCall(
  asked: AskedCall,
  tools: Tools,
  workspaceId: number,
  bytesLeft: number,
): CheckedCall {
  const tool = tools.get(asked.name);
  if (!tool)
    return wrong(asked, 'NO_SUCH_TOOL', `There is no tool ${asked.name.slice(0, MAX_NAME_CHARS)}.`);
  const { contract } = tool;
  const given = asked.arguments;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return wrong(asked, 'INVALID_ARGUMENTS', 'The arguments must be one JSON object.');
  }
  const args = withWorkspace(given as Record<string, unknown>, contract, workspaceId);
  if (Buffer.byteLength(JSON.stringify(args)) > Math.min(MAX_ARGUMENTS_BYTES, bytesLeft)) {
    return wrong(asked, 'ARGUMENTS_TOO_LONG', 'The arguments are too long.');
  }
  const parsed = paramsOf({ ...contract, header: {} }).safeParse(args);
  if (!parsed.success) {
    const faults = faultsOf(parsed.error, args, (name) => placeOf(contract, name));
    const { errors } = invalidRequest(faults.slice(0, MAX_FAULTS)).data; // with their paths cut
    return wrong(asked, 'INVALID_ARGUMENTS', 'The arguments do not fit the tool.', { errors });
  }
  return { tool, arguments: args, isReading: isReading(tool) };
}

function withWorkspace(
  args: Record<string, unknown>,
  { path, query, body }: ActionContract,
  workspaceId: number,
): Record<string, unknown> {
  const takesWorkspace = 'workspaceId' in { ...path, ...query, ...body };
  return takesWorkspace ? { workspaceId, ...args } : args;
}

/** A call that is not carried out. */
function wrong(
  { name, arguments: given }: AskedCall,
  code: string,
  detail: string,
  more: object = {},
): CheckedCall {
  const text = JSON.stringify(given) ?? 'null';
  return {
    operation: name.slice(0, MAX_NAME_CHARS).replace('_', '.').toWellFormed(),
    arguments:
      text.length <= MAX_WRONG_CHARS ? given : text.slice(0, MAX_WRONG_CHARS).toWellFormed(),
    outcome: failed({ code, detail, ...more }),
  };
}
