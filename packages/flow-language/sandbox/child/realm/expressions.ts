/** Runs JSONata expressions and caches the compiled expressions. */
import jsonata from 'jsonata';
import type { AstNode } from '../../../language/jsonata-ast.ts';
import type { Expression } from '../../../plan.ts';
import {
  CACHED_EXPRESSIONS,
  MAX_EVALUATION_DEPTH,
  MAX_SEQUENCE,
  REPEATED_BUDGET,
} from '../../limits.ts';
import { nameErrorVariable } from './error-variable.ts';
import { freezeTree } from './freeze.ts';

const OPTIONS: jsonata.JsonataOptions = Object.freeze({
  timeout: REPEATED_BUDGET.clockMs, // the longest budget; the parent ends evaluations with a smaller budget
  stack: MAX_EVALUATION_DEPTH,
  sequence: MAX_SEQUENCE,
});

/** The binding that the patched `&` looks up. No expression can contain this name. */
const IS_ADDRESS = 'is an address';

freezeTree(jsonata);

interface Compiled {
  expression: jsonata.Expression;
  /** The name by which the expression reads the flow's `$error`; null when it does not read `$error`. */
  errorName: string | null;
}

/** The compiled expressions by source, the least recently used first: a Map keeps the order of insertion. */
const compiled = new Map<string, Compiled>();

/** Evaluates an expression to its raw result, with JSONata's own objects and flags. Errors of JSONata are not converted. */
export function run(
  { source, isAddress = false }: Expression,
  input: unknown,
  variables: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { expression, errorName } = compiledOf(source);
  const bound = bindings(errorName, variables);
  if (isAddress) bound[IS_ADDRESS] = true;
  return expression.evaluate(input, bound);
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

/** Returns the syntax tree that the expression evaluates, not a copy. JSONata's published type lacks half of its fields. */
const astOf = (expression: jsonata.Expression): AstNode => expression.ast() as AstNode;

/** Makes the bindings of an evaluation. `$eval` is removed, because it would evaluate text that was never checked. */
function bindings(errorName: string | null, variables: Readonly<Record<string, unknown>>) {
  const { error, ...others } = variables;
  const bound: Record<string, unknown> = Object.assign(Object.create(null), others);
  bound.eval = undefined;
  if (errorName !== null) bound[errorName] = error;
  return bound;
}

/** Decides as JSONata's `$boolean`; undefined is false. */
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
