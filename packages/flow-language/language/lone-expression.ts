import type { Expression, Fault } from '../plan.ts';
import { Context, withVariables } from './context.ts';
import { readExpression } from './expression.ts';
import { findExpressionEnd } from './expression-end.ts';
import { FLOW_VARIABLES } from './names.ts';

/** An expression outside a flow file: what it reads, or its first fault. */
export type LoneExpression =
  | { expression: Expression; from: number }
  | { fault: { code: string; message: string; position: number } };

/**
 * Checks an expression that is not part of a file: bare JSONata, or JSONata in one enclosing `${ }`. It may read the
 * variables of flows, and those that are named. `from` and the position of a fault are indices in the text.
 */
export function readLoneExpression(text: string, variables: readonly string[]): LoneExpression {
  const { source, from } = unwrap(text);
  const context = new Context(text);
  const scope = withVariables(FLOW_VARIABLES, ...variables);
  const expression = readExpression(source, (index) => from + index, scope, context);
  const [fault] = context.listFaults(null);
  if (!fault) return { expression, from: from + source.length - source.trimStart().length };
  const { code, message } = fault;
  return { fault: { code, message, position: offsetOf(text, fault) } };
}

/** Takes one enclosing `${ }` away. A text of several, or with other text around, stays as it is. */
function unwrap(text: string): { source: string; from: number } {
  const start = text.length - text.trimStart().length;
  const end = text.trimEnd().length;
  const isWrapped = text.startsWith('${', start) && findExpressionEnd(text, start + 2) === end - 1;
  if (!isWrapped) return { source: text, from: 0 };
  return { source: text.slice(start + 2, end - 1), from: start + 2 };
}

function offsetOf(text: string, { line, column }: Pick<Fault, 'line' | 'column'>): number {
  let start = 0;
  for (let at = 1; at < line; at++) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}
