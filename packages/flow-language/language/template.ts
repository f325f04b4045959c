import type { Expression, Json, Template } from '../plan.ts';
import { insteadOf } from './advice/instead-of-text.ts';
import { describeUnterminated } from './advice/unterminated.ts';
import { warnOfKey, warnOfText } from './advice/warn-of-text.ts';
import type { Context, Scope } from './context.ts';
import { readExpression } from './expression.ts';
import { refuseLargeNumber } from './large-number.ts';
import { wrongType } from './shape.ts';
import { type Segment, splitTemplate, wholeExpression } from './template-text.ts';
import { type Node, type ScalarNode, stringOf } from './tree.ts';

const NOTHING: Template = { kind: 'literal', value: null };
const NO_EXPRESSION: Expression = { source: '', variables: [] };

/** Reads a value that may contain expressions. A value without expressions becomes one literal. */
export function readTemplate(node: Node, scope: Scope, context: Context): Template {
  if (node.kind === 'scalar') return readScalar(node, scope, context);
  if (node.kind === 'list') {
    const items = node.items.map((item) => readTemplate(item, scope, context));
    const values = literals(items);
    return values ? { kind: 'literal', value: values } : { kind: 'list', items };
  }
  const entries = [...node.entries.values()].map(({ key, keyStart, value }) => {
    warnOfKey(key, keyStart, context);
    return [key, readTemplate(value, scope, context)] as const;
  });
  const values = literals(entries.map(([, value]) => value));
  if (!values) return { kind: 'map', entries };
  const value = Object.fromEntries(entries.map(([key], i) => [key, values[i] ?? null]));
  return { kind: 'literal', value };
}

function literals(templates: readonly Template[]): Json[] | null {
  const values: Json[] = [];
  for (const template of templates) {
    if (template.kind !== 'literal') return null;
    values.push(template.value);
  }
  return values;
}

function readScalar(node: ScalarNode, scope: Scope, context: Context): Template {
  const text = stringOf(node);
  if (text === null) {
    refuseLargeNumber(node, context);
    return { kind: 'literal', value: node.value };
  }
  const segments = readSegments(node, context);
  if (!segments) return NOTHING;
  const whole = wholeExpression(segments);
  if (whole) {
    return { kind: 'expression', expression: expressionOf(whole, node, scope, context) };
  }
  const parts = segments.map((segment) =>
    segment.kind === 'text' ? segment.text : expressionOf(segment, node, scope, context),
  );
  if (parts.every((part) => typeof part === 'string')) {
    warnOfText(node, scope, context);
    return { kind: 'literal', value: parts.join('') };
  }
  return { kind: 'text', parts };
}

/** Reads a string that must be one `${ ... }`: `if`, `when`, `exceptWhen`, `while`, `in`. */
export function readWholeExpression(
  node: Node,
  what: string,
  scope: Scope,
  context: Context,
): Expression {
  const segments = readStringSegments(node, context);
  const whole = segments && wholeExpression(segments);
  if (whole && node.kind === 'scalar') return expressionOf(whole, node, scope, context);
  if (segments !== null) expressionNeeded(node, what, context);
  return NO_EXPRESSION;
}

/** Reads the string or map of a `from` or `as`. The string of an `as` must have an expression. */
export function readShaping(
  node: Node,
  what: string,
  needsExpression: boolean,
  scope: Scope,
  context: Context,
): Template {
  if (node.kind === 'map') return readTemplate(node, scope, context);
  if (stringOf(node) === null) {
    wrongType(node, what, 'an expression or a map', context);
    return NOTHING;
  }
  const template = readTemplate(node, scope, context);
  const hasExpression = readStringSegments(node, context)?.some((one) => one.kind !== 'text');
  if (needsExpression && hasExpression === false) expressionNeeded(node, what, context);
  return template;
}

function expressionNeeded(node: Node, what: string, context: Context): void {
  const message = `${what} must be an expression, \${ ... }; ${insteadOf(node)}.`;
  context.fault(node, 'EXPRESSION_NEEDED', message);
}

/** Returns the segments of a string, an empty list for a value of another type, and null for a string with a fault. */
export function readStringSegments(node: Node, context: Context): readonly Segment[] | null {
  return node.kind === 'scalar' && stringOf(node) !== null ? readSegments(node, context) : [];
}

function readSegments(node: ScalarNode, context: Context): readonly Segment[] | null {
  const split = splitTemplate(stringOf(node) ?? '');
  if ('segments' in split) return split.segments;
  const at = context.offsetIn(node, split.unterminatedAt);
  const message = describeUnterminated(node, split.unterminatedAt, context);
  context.fault(at, 'EXPRESSION_UNTERMINATED', message);
  return null;
}

export function expressionOf(
  segment: Extract<Segment, { kind: 'expression' }>,
  node: ScalarNode,
  scope: Scope,
  context: Context,
): Expression {
  const place = (index: number): number => context.offsetIn(node, segment.index + index);
  return readExpression(segment.source, place, scope, context);
}
