import type { Plan } from '../plan.ts';
import type { Context } from './context.ts';
import { LIMITS } from './limits.ts';
import { omitUndefined } from './plan-parts.ts';
import { isId, readBoolean, readInteger } from './scalars.ts';
import { keys, readFields, readMap } from './shape.ts';
import { describe, type Node } from './tree.ts';

const ON_FAILURE_KEYS = keys({ required: 'issue', optional: 'assignedUserId' });

/** Reads the flow's `metadata`. All members but the two that this service adds to the DSL are the author's own. */
export function readMetadata(
  node: Node,
  context: Context,
): Pick<Plan, 'onFailure' | 'concurrency'> {
  const entries = readMap(node, '"metadata"', context)?.entries;
  const onFailure = entries?.get('onFailure')?.value;
  const concurrency = entries?.get('concurrency')?.value;
  const most = LIMITS.concurrentRuns;
  return {
    onFailure: onFailure && readOnFailure(onFailure, context),
    concurrency:
      concurrency && readInteger(concurrency, '"metadata.concurrency"', 1, most, context),
  };
}

/** Reads `onFailure`. `issue: false` is the same as no `onFailure`. */
function readOnFailure(node: Node, context: Context): Plan['onFailure'] {
  const fields = readFields(node, '"metadata.onFailure"', ON_FAILURE_KEYS, context);
  const issue = fields?.read('issue', (value) =>
    readBoolean(value, '"metadata.onFailure.issue"', context),
  );
  const assignedUserId = fields?.read('assignedUserId', (value) => readMember(value, context));
  return issue ? omitUndefined({ assignedUserId }) : undefined;
}

function readMember(node: Node, context: Context): number | undefined {
  if (isId(node)) return node.value;
  const message = `"metadata.onFailure.assignedUserId" must be the id of a member, a positive whole number without quotes; this is ${describe(node)}.`;
  context.fault(node, 'INVALID_VALUE', message);
  return undefined;
}
