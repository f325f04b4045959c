import { integerOf } from '../bson/numbers.ts';
import { type Document, isDocument, typeName, type Value } from '../bson/values.ts';
import { fail, unsupported } from '../errors.ts';
import { type Accumulator, MAKERS, SEVERAL, Sum } from './accumulators.ts';
import { compileExpression } from './expression.ts';
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
  if (make) return { input: compileExpression(argument), make };
  if (operator === '$count') {
    if (!isDocument(argument) || argument.size > 0)
      fail('TypeMismatch', '$count takes no arguments, i.e. $count:{}');
    return { input: () => 1, make: () => new Sum() };
  }
  const several = SEVERAL.get(operator);
  if (several) {
    if (!isDocument(argument))
      return fail(
        5787900,
        `specification must be an object; found ${operator}: ${typeName(argument)}`,
      );
    allowOnly(argument, ['n', 'input'], 5787901, operator);
    const n = countOf(argument.get('n'), variables);
    return { input: compileExpression(argument.get('input') ?? null), make: () => several(n()) };
  }
  if (/^\$(top|bottom|topN|bottomN|accumulator|percentile|median)$/.test(operator)) {
    unsupported(`The accumulator ${operator}`);
  }
  return fail(15952, `unknown group operator '${operator}'`);
}

/** Compiles the `n` of an accumulator. A constant is checked at once, an expression for the first document. */
function countOf(given: Value = null, variables: Variables): () => number {
  const expression = compileExpression(given);
  const count = (): number => {
    const n = integerOf(expression(variables));
    return n === undefined || n < 1 ? fail(5787908, "'n' must be greater than 0") : n;
  };
  if (!isDocument(given) && typeof given !== 'string') count();
  return count;
}
