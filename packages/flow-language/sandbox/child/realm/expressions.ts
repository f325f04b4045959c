/** Runs one JSONata expression, compiled at most once while it stays in use. */
import jsonata from 'jsonata';
import type { AstNode } from '../../../language/jsonata-ast.ts';
import {
  CACHED_EXPRESSIONS,
  MAX_EVALUATION_DEPTH,
  MAX_SEQUENCE,
  REPEATED_BUDGET,
} from '../../limits.ts';
import { nameErrorVariable } from './error-variable.ts';
import { freezeTree } from './freeze.ts';

const OPTIONS: jsonata.JsonataOptions = Object.freeze({
  timeout: REPEATED_BUDGET.clockMs, // of the longest; the parent ends the others earlier
  stack: MAX_EVALUATION_DEPTH,
  sequence: MAX_SEQUENCE,
});

freezeTree(jsonata);

interface Compiled {
  expression: jsonata.Expression;
  /** The name by which it reads the flow's `$error`, if it does. */
  errorName: string | null;
}

/** In the order of last use, oldest first: a Map keeps the order of insertion. */
const compiled = new Map<string, Compiled>();

/** The raw result, JSONata's own objects and flags included. Throws what JSONata throws. */
export function run(
  source: string,
  input: unknown,
  variables: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { expression, errorName } = compiledOf(source);
  return expression.evaluate(input, bindings(errorName, variables));
}

function compiledOf(source: string): Compiled {
  const known = compiled.get(source) ?? compile(source);
  compiled.delete(source);
  compiled.set(source, known);
  if (compiled.size > CACHED_EXPRESSIONS) {
    for (const oldest of compiled.keys()) {
      compiled.delete(oldest);
      break;
    }
  }
  return known;
}

function compile(source: string): Compiled {
  const expression = jsonata(source, OPTIONS);
  const tree = astOf(expression);
  const errorName = source.includes('error') ? nameErrorVariable(tree) : null;
  freezeTree(tree);
  freezeTree(expression);
  return Object.freeze({ expression, errorName });
}

/** The tree that it evaluates, not a copy; the published type leaves half of it out. */
const astOf = (expression: jsonata.Expression): AstNode => expression.ast() as AstNode;

/** `$eval` is gone: it would evaluate what the file's check never saw. */
function bindings(errorName: string | null, variables: Readonly<Record<string, unknown>>) {
  const { error, ...others } = variables;
  const bound: Record<string, unknown> = Object.assign(Object.create(null), others);
  bound.eval = undefined;
  if (errorName !== null) bound[errorName] = error;
  return bound;
}

/** JSONata's `$boolean`, where undefined is false. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTrue);
  if (value === null || typeof value !== 'object') return Boolean(value) && !isFunction(value);
  return !isFunction(value) && Object.keys(value).length > 0;
}

function isFunction(value: unknown): boolean {
  if (typeof value === 'function') return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '_jsonata_lambda') || Object.hasOwn(value, '_jsonata_function');
}
