import type { CallIssueTask, Template } from '../../plan.ts';
import { isId } from '../scalars.ts';
import { type Fields, keys, readFields } from '../shape.ts';
import { expressionOf, readStringSegments } from '../template.ts';
import { wholeExpression } from '../template-text.ts';
import { readFilledText, readText } from '../text.ts';
import { describe, type Node } from '../tree.ts';
import type { Place, TaskBody } from './place.ts';

/** The members of `with`. */
export const ISSUE_KEYS = keys({
  required: 'title',
  optional: 'description assignedUserId fingerprint',
});

/** Replaces a title with a fault. The plan of a file with faults is never returned. */
const NO_TITLE: Template = { kind: 'literal', value: null };

/** Reads `call: issue` (flow language, section 1). */
export function readIssueCall(task: Fields, place: Place): TaskBody | undefined {
  const { scope, context } = place;
  const fields = task.read('with', (node) => readFields(node, '"with"', ISSUE_KEYS, context));
  if (!fields) return undefined;
  const call: Omit<CallIssueTask, 'name' | 'path'> = {
    kind: 'call-issue',
    title:
      fields.read('title', (node) => readFilledText(node, '"title"', scope, context)) ?? NO_TITLE,
    description: fields.read('description', (node) =>
      readText(node, '"description"', scope, context),
    ),
    assignedUserId: fields.read('assignedUserId', (node) => readMember(node, place)),
    fingerprint: fields.read('fingerprint', (node) =>
      readFilledText(node, '"fingerprint"', scope, context),
    ),
  };
  return call;
}

/** Reads the id of a member, or one expression that makes the id. */
function readMember(node: Node, { scope, context }: Place): Template | undefined {
  if (isId(node)) return { kind: 'literal', value: node.value };
  const segments = readStringSegments(node, context);
  if (segments === null) return undefined;
  const whole = wholeExpression(segments);
  if (whole && node.kind === 'scalar') {
    return { kind: 'expression', expression: expressionOf(whole, node, scope, context) };
  }
  const message = `"assignedUserId" must be the id of a member, a positive whole number without quotes, or one expression, \${ ... }; this is ${describe(node)}.`;
  context.fault(node, 'INVALID_VALUE', message);
  return undefined;
}
