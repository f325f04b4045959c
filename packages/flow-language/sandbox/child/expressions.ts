/** Runs one JSONata expression, compiled at most once while it stays in use. */
import jsonata from 'jsonata';
import {
  CACHED_EXPRESSIONS,
  MAX_EVALUATION_DEPTH,
  MAX_SEQUENCE,
  REPEATED_BUDGET,
} from '../limits.ts';

const OPTIONS: jsonata.JsonataOptions = {
  timeout: REPEATED_BUDGET.clockMs, // of the longest; the parent ends the others earlier
  stack: MAX_EVALUATION_DEPTH,
  sequence: MAX_SEQUENCE,
};

const ERROR_AS_VARIABLE = /\$error\b(?!\s*\()/;

/** In the order of last use, oldest first: a Map keeps the order of insertion. */
const compiled = new Map<string, jsonata.Expression>();

/** The raw result, JSONata's own objects and flags included. Throws what JSONata throws. */
export function run(
  source: string,
  input: unknown,
  variables: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  return compile(source).evaluate(input, bindings(source, variables));
}

function compile(source: string): jsonata.Expression {
  const expression = compiled.get(source) ?? jsonata(source, OPTIONS);
  compiled.delete(source);
  compiled.set(source, expression);
  if (compiled.size > CACHED_EXPRESSIONS) {
    for (const oldest of compiled.keys()) {
      compiled.delete(oldest);
      break;
    }
  }
  return expression;
}

/**
 * `$eval` is hidden by an undefined binding: it would evaluate what the file's check never saw.
 * `$error` is a variable of the flow language and a function of JSONata: called it stays the
 * function, otherwise it is the variable, undefined outside of a `catch`.
 */
function bindings(source: string, variables: Readonly<Record<string, unknown>>) {
  const bound: Record<string, unknown> = Object.assign(Object.create(null), variables);
  bound.eval = undefined;
  if (ERROR_AS_VARIABLE.test(source)) bound.error = variables.error;
  else delete bound.error;
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
