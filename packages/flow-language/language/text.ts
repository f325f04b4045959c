import type { Template } from '../plan.ts';
import type { Context, Scope } from './context.ts';
import { wrongType } from './shape.ts';
import { readTemplate } from './template.ts';
import { type Node, stringOf } from './tree.ts';

/** Reads a string that may contain expressions. */
export function readText(node: Node, what: string, scope: Scope, context: Context): Template {
  if (stringOf(node) === null) wrongType(node, what, 'a string', context);
  return readTemplate(node, scope, context);
}

/** Reads a string that may contain expressions and has more than white space. */
export function readFilledText(node: Node, what: string, scope: Scope, context: Context): Template {
  if (stringOf(node)?.trim() === '') {
    context.fault(node, 'INVALID_VALUE', `${what} is empty; give it a text or an expression.`);
  }
  return readText(node, what, scope, context);
}
