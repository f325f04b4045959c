import { type Document, isDocument, typeName, type Value } from '../bson/values.ts';
import { fail, unsupported } from '../errors.ts';
import { type Accumulator, MAKERS, SEVERAL, Sum } from './accumulators.ts';
import { compileExpression } from './expression.ts';
import { numberOfElements } from './operators/arrays.ts';
import { allowOnly } from './options.ts';
import type { Expression, Variables } from './variables.ts';

export const ACCUMULATORS: readonly string[] = [...MAKERS.keys(), ...SEVERAL.keys(), '$count'];

export interface CompiledAccumulator {
  input: Expression;
  make(): Accumulator;
}

export function compileAccumulator(
  name: string,
  spec: Value,
  variables: Variables,
): CompiledAccumulator {
  if (!isDocument(spec)) return fail(40234, `The field '${name}' must be an accumulator object`);
  if (spec.size !== 1) fail(40238, `The field '${name}' must specify one accumulator`);
  const [[operator, argument] = ['', null]] = spec as Document;
  const make = MAKERS.get(operator);
  if (make) {
    if (Array.isArray(argument)) fail(40237, `The ${operator} accumulator is a unary operator`);
    return { input: compileExpression(argument), make };
  }
  if (operator === '$count') {
    if (!isDocument(argument) || argument.size > 0)
      fail('TypeMismatch', '$count takes no arguments, i.e. $count:{}');
    return { input: () => 1, make: () => new Sum() };
  }
  const several = SEVERAL.get(operator);
  if (several) return severalOf(operator, argument, several, variables);
  if (/^\$(top|bottom|topN|bottomN|accumulator|percentile|median)$/.test(operator)) {
    unsupported(`The accumulator ${operator}`);
  }
  return fail(15952, `unknown group operator '${operator}'`);
}

function severalOf(
  operator: string,
  spec: Value,
  make: (n: number) => Accumulator,
  variables: Variables,
): CompiledAccumulator {
  if (!isDocument(spec)) {
    return fail(
      /^\$(first|last)/.test(operator) ? 5787801 : 5787900,
      `specification must be an object; found ${operator}: ${typeName(spec)}`,
    );
  }
  allowOnly(spec, ['n', 'input'], 5787901, operator);
  const [given, input] = [spec.get('n'), spec.get('input')];
  if (given === undefined) return fail(5787906, "Missing value for 'n'");
  if (input === undefined) return fail(5787907, "Missing value for 'input'");
  const n = countOf(given, variables);
  return { input: compileExpression(input), make: () => make(n()) };
}

/** Compiles the `n` of an accumulator. A constant is checked at once, an expression for the first document. */
function countOf(given: Value, variables: Variables): () => number {
  const expression = compileExpression(given);
  const count = (): number => numberOfElements(expression(variables));
  if (!isDocument(given) && typeof given !== 'string') count();
  return count;
}
