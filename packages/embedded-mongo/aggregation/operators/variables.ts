import { equalValues } from '../../bson/compare.ts';
import { integerOf } from '../../bson/numbers.ts';
import { isDocument, type Value } from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import { compileElementOrder } from '../../query/element-order.ts';
import { compileNames, isNullish, truthy } from '../variables.ts';
import { type Compile, named, type Operator, wrongType } from './arguments.ts';

const nameOf = (parts: ReadonlyMap<string, Value>): string => {
  const name = parts.get('as') ?? 'this';
  return typeof name === 'string' ? name : fail('FailedToParse', `'as' has to be a string`);
};

const part = (parts: ReadonlyMap<string, Value>, name: string, compile: Compile) =>
  compile(parts.get(name) as Value);

const letOperator = named('$let', ['vars', 'in'], ['vars', 'in'], (parts, compile) => {
  const definitions = parts.get('vars');
  if (!isDocument(definitions)) return fail(16876, 'invalid parameter: expected an object (vars)');
  const result = part(parts, 'in', compile);
  const names = compileNames(definitions, compile);
  return (variables) => result(variables.with(names(variables)));
});

const map = named('$map', ['input', 'as', 'in'], ['input', 'in'], (parts, compile) => {
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

const filter = named(
  '$filter',
  ['input', 'as', 'cond', 'limit'],
  ['input', 'cond'],
  (parts, compile) => {
    const name = nameOf(parts);
    const input = part(parts, 'input', compile);
    const condition = part(parts, 'cond', compile);
    const limit = parts.has('limit') ? part(parts, 'limit', compile) : undefined;
    return (variables) => {
      const array = input(variables);
      if (isNullish(array)) return null;
      if (!Array.isArray(array)) return wrongType('$filter', 'an array', array, 28651);
      const found = array.filter((element) => truthy(condition(variables.with([[name, element]]))));
      const most = integerOf(limit?.(variables));
      return most === undefined ? found : found.slice(0, most);
    };
  },
);

const reduce = named(
  '$reduce',
  ['input', 'initialValue', 'in'],
  ['input', 'initialValue', 'in'],
  (parts, compile) => {
    const input = part(parts, 'input', compile);
    const initial = part(parts, 'initialValue', compile);
    const result = part(parts, 'in', compile);
    return (variables) => {
      const array = input(variables);
      if (isNullish(array)) return null;
      if (!Array.isArray(array)) return wrongType('$reduce', 'an array', array, 40080);
      return array.reduce(
        (value: Value | undefined, element) =>
          result(
            variables.with([
              ['value', value],
              ['this', element],
            ]),
          ),
        initial(variables),
      );
    };
  },
);

const sortArray = named(
  '$sortArray',
  ['input', 'sortBy'],
  ['input', 'sortBy'],
  (parts, compile) => {
    const input = part(parts, 'input', compile);
    const order = compileElementOrder(parts.get('sortBy') as Value, 'sort');
    return (variables) => {
      const array = input(variables);
      if (isNullish(array)) return null;
      if (!Array.isArray(array)) return wrongType('$sortArray', 'an array', array, 2942504);
      return [...array].sort(order);
    };
  },
);

export const contains = (array: readonly Value[], value: Value): boolean =>
  array.some((element) => equalValues(element, value));

export const VARIABLES: [string, Operator][] = [
  ['$literal', (argument) => () => argument],
  ['$const', (argument) => () => argument],
  letOperator,
  map,
  filter,
  reduce,
  sortArray,
];
