import type { Task } from '../../plan.ts';
import type { Context, Scope } from '../context.ts';
import { DURATION_KEYS, readDuration } from '../duration.ts';
import { type Fields, keys, readFields, readMap, wrongType } from '../shape.ts';
import { readShaping, readWholeExpression } from '../template.ts';
import type { Node } from '../tree.ts';
import { readDirective } from './directive.ts';
import type { Place } from './place.ts';

/** The keywords of every task (DSL 1.0.0, task base). */
export const BASE_KEYS = keys({ optional: 'if input output export timeout then metadata' });

/** Reads `input: { from }`, `output: { as }` or `export: { as }`. */
export function readShapingOf(
  node: Node,
  keyword: 'input' | 'output' | 'export',
  scope: Scope,
  context: Context,
) {
  const key = keyword === 'input' ? 'from' : 'as';
  const advice = { form: `{ ${key}: '\${ ... }' }` };
  const fields = readFields(node, `"${keyword}"`, keys({ optional: key }), context, advice);
  const what = `"${keyword}.${key}"`;
  return fields?.read(key, (value) => readShaping(value, what, key === 'as', scope, context));
}

/** Reads `timeout: { after: <duration> }`. The name of a shared timeout is a fault, because `use` is refused. */
export function readTimeout(node: Node, context: Context): number | undefined {
  if (node.kind !== 'map') {
    wrongType(node, '"timeout"', 'a map such as { after: { seconds: 30 } }', context);
    return undefined;
  }
  const advice = { members: { after: { keys: DURATION_KEYS } } };
  const fields = readFields(node, '"timeout"', keys({ required: 'after' }), context, advice);
  return fields?.read('after', (after) => readDuration(after, '"timeout.after"', context));
}

export function readBase(fields: Fields, place: Place): Omit<Task, 'kind'> {
  const { name, path, scope, context } = place;
  fields.read('metadata', (node) => readMap(node, '"metadata"', context));
  return {
    name,
    path,
    if: fields.read('if', (node) => readWholeExpression(node, '"if"', scope, context)),
    inputFrom: fields.read('input', (node) => readShapingOf(node, 'input', scope, context)),
    outputAs: fields.read('output', (node) => readShapingOf(node, 'output', scope, context)),
    exportAs: fields.read('export', (node) => readShapingOf(node, 'export', scope, context)),
    timeoutMs: fields.read('timeout', (node) => readTimeout(node, context)),
    // biome-ignore lint/suspicious/noThenProperty: the DSL's keyword; a plan is never awaited
    then: fields.read('then', (node) => readDirective(node, place)),
  };
}
