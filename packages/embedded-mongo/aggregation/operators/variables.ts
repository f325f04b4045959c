import { equalValues } from '../../bson/compare.ts';
import { int32Of } from '../../bson/numbers.ts';
import { isDocument, type Value } from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import { compileElementOrder } from '../../query/element-order.ts';
import {
  checkVariableName,
  compileNames,
  type Expression,
  isNullish,
  truthy,
} from '../variables.ts';
import {
  type Argument,
  type Compile,
  type NamedSignature,
  named,
  type Operator,
  wrongType,
} from './arguments.ts';

/** Returns the name of the elements' variable. A name that is no string counts as empty, as in MongoDB. */
function nameOf(parts: ReadonlyMap<string, Value>): string {
  const given = parts.has('as') ? parts.get('as') : 'this';
  const name = typeof given === 'string' ? given : '';
  checkVariableName(name);
  return name;
}

const part = (parts: ReadonlyMap<string, Value>, name: string, compile: Compile): Expression =>
  compile(parts.get(name) as Value);

const LET: NamedSignature = {
  object: 16874,
  unknown: 16875,
  required: { vars: 16876, in: 16877 },
  optional: {},
};

const letOperator = named('$let', LET, (parts, compile) => {
  const definitions = parts.get('vars');
  if (!isDocument(definitions)) return fail(10065, 'invalid parameter: expected an object (vars)');
  const names = compileNames(definitions, compile);
  const result = part(parts, 'in', compile);
  return (variables) => result(variables.with(names(variables)));
});

const MAP: NamedSignature = {
  object: 16878,
  unknown: 16879,
  required: { input: 16880, in: 16882 },
  optional: { as: 'error' },
};

const map = named('$map', MAP, (parts, compile) => {
  const name = nameOf(parts);
  const input = part(parts, 'input', compile);
  const result = part(parts, 'in', compile);
  return (variables) => {
    const array = input(variables);
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) return wrongType('$map', 'an array', array, 16883);
    return array.map((element) => result(variables.with([[name, element]])) ?? null);
  };
});

const FILTER: NamedSignature = {
  object: 28646,
  unknown: 28647,
  required: { input: 28648, cond: 28650 },
  optional: { as: 'error', limit: 'default' },
};

const filter = named('$filter', FILTER, (parts, compile) => {
  const name = nameOf(parts);
  const input = part(parts, 'input', compile);
  const condition = part(parts, 'cond', compile);
  const limit = parts.has('limit') ? part(parts, 'limit', compile) : () => null;
  return (variables) => {
    const array = input(variables);
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) return wrongType('$filter', 'an array', array, 28651);
    const most = limitOf(limit(variables));
    const found: Value[] = [];
    for (const element of array) {
      if (found.length === most) break;
      if (truthy(condition(variables.with([[name, element]])))) found.push(element);
    }
    return found;
  };
});

function limitOf(limit: Argument): number {
  if (isNullish(limit)) return Number.POSITIVE_INFINITY;
  const most = int32Of(limit);
  if (most === undefined)
    return wrongType('$filter', 'limit to be a 32-bit integer', limit, 327391);
  return most > 0 ? most : fail(327392, `$filter: limit must be greater than 0: ${most}`);
}

const REDUCE: NamedSignature = {
  object: 40075,
  unknown: 40076,
  required: { input: 40077, initialValue: 40078, in: 40079 },
  optional: {},
};

const reduce = named('$reduce', REDUCE, (parts, compile) => {
  const input = part(parts, 'input', compile);
  const initial = part(parts, 'initialValue', compile);
  const result = part(parts, 'in', compile);
  return (variables) => {
    const array = input(variables);
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) return wrongType('$reduce', 'an array', array, 40080);
    let value = initial(variables);
    for (const element of array) {
      value = result(
        variables.with([
          ['value', value],
          ['this', element],
        ]),
      );
    }
    return value;
  };
});

const SORT_ARRAY: NamedSignature = {
  object: 2942500,
  unknown: 2942501,
  required: { input: 2942502, sortBy: 2942503 },
  optional: {},
};

const sortArray = named('$sortArray', SORT_ARRAY, (parts, compile) => {
  const input = part(parts, 'input', compile);
  const order = compileElementOrder(parts.get('sortBy') as Value, 'sort');
  return (variables) => {
    const array = input(variables);
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) return wrongType('$sortArray', 'an array', array, 2942504);
    return [...array].sort(order);
  };
});

export const contains = (array: readonly Value[], value: Value): boolean =>
  array.some((element) => equalValues(element, value));

const constant: Operator = { build: (argument) => () => argument };

export const VARIABLES: [string, Operator][] = [
  ['$literal', constant],
  ['$const', constant],
  letOperator,
  map,
  filter,
  reduce,
  sortArray,
];
