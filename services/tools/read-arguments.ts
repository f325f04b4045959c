import type { ActionContract } from '../../contract/contract.ts';
import { BodyTooLarge, type FieldFault, invalidRequest, Problem } from '../../contract/problem.ts';
import { bodyFault } from '../../mixins/gateway/body/body-fault.ts';
import { assertBoundedValue } from '../../mixins/gateway/body/json-bounds.ts';
import { jsonFaults } from '../../mixins/gateway/body/json-faults.ts';
import { BODY_DEPTH, BODY_VALUES } from '../../mixins/gateway/body/parse-json.ts';
import { BODY_LIMIT } from '../../mixins/gateway/body/read-body.ts';
import { truncateText } from '../../mixins/gateway/body/truncate-text.ts';

interface ReadArguments {
  params: Record<string, unknown>;
  /** The faults of the values. They are reported after the access check, like those of a body. */
  faults: readonly FieldFault[];
}

/**
 * Reads the arguments of a call within the bounds of the operation's body. Throws 400 or 413 for arguments beyond
 * them, or that are no object.
 */
export function readArguments(contract: ActionContract, args: unknown): ReadArguments {
  const { bodyDepth = BODY_DEPTH, bodyValues = BODY_VALUES, bodyLimit = BODY_LIMIT } = contract;
  assertBoundedValue(args, {
    depth: contract.wholeBody ? bodyDepth + 1 : bodyDepth, // a whole body is a field here
    values: bodyValues,
  });
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw invalidRequest([bodyFault('', 'invalid_type', 'must be a JSON object')]);
  }
  if (Buffer.byteLength(JSON.stringify(args)) > bodyLimit) {
    throw new Problem(BodyTooLarge, `The arguments may have at most ${bodyLimit} bytes.`);
  }
  const params = Object.entries(args).map(([name, value]) => [
    name,
    truncateText(value, contract.truncateAt?.[name]),
  ]);
  return { params: Object.fromEntries(params), faults: jsonFaults(args) };
}
