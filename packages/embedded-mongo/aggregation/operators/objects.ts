import { isDocument, type Value } from '../../bson/values.ts';
import { fail, unsupported } from '../../errors.ts';
import { isNullish } from '../variables.ts';
import {
  type Argument,
  type Compile,
  named,
  type Operator,
  positional,
  unary,
  wrongType,
} from './arguments.ts';
import { fieldName } from './arrays.ts';

export function mergeObjects(args: Argument[]): Value {
  const merged = new Map<string, Value>();
  for (const object of args) {
    if (isNullish(object)) continue;
    if (!isDocument(object)) return wrongType('$mergeObjects', 'object inputs', object, 40400);
    for (const [name, value] of object) merged.set(name, value);
  }
  return merged;
}

function objectToArray(object: Argument): Value {
  if (isNullish(object)) return null;
  if (!isDocument(object)) return wrongType('$objectToArray', 'a document input', object, 40390);
  return [...object].map(
    ([k, v]) =>
      new Map<string, Value>([
        ['k', k],
        ['v', v],
      ]),
  );
}

/** Returns the constant field name of $getField and similar operators. The name may have dots and dollars. */
function constantName(operator: string, value: Value | undefined): string {
  const name = isDocument(value) && value.has('$literal') ? value.get('$literal') : value;
  if (isDocument(name) || (name === value && String(name).startsWith('$')))
    unsupported(`A computed 'field' of ${operator}`);
  if (typeof name !== 'string')
    return fail(5654602, `${operator} requires 'field' to evaluate to type String`);
  return fieldName(name);
}

const getField: Operator = (argument, compile) => {
  const whole = isDocument(argument) && argument.has('field');
  const name = constantName('$getField', whole ? argument.get('field') : argument);
  const input = compile(
    whole && argument.has('input') ? (argument.get('input') as Value) : '$$CURRENT',
  );
  return (variables) => {
    const object = input(variables);
    if (isNullish(object)) return object === undefined ? undefined : null;
    return isDocument(object) ? object.get(name) : undefined;
  };
};

function setField(operator: string, parts: ReadonlyMap<string, Value>, compile: Compile) {
  const name = constantName(operator, parts.get('field'));
  const input = compile(parts.get('input') as Value);
  const value = compile(parts.has('value') ? (parts.get('value') as Value) : '$$REMOVE');
  return (variables: Parameters<ReturnType<Compile>>[0]): Value | undefined => {
    const object = input(variables);
    if (isNullish(object)) return null;
    if (!isDocument(object))
      return wrongType(operator, "'input' to evaluate to type Object", object, 4161105);
    const changed = new Map(object);
    const result = value(variables);
    if (result === undefined) changed.delete(name);
    else changed.set(name, result);
    return changed;
  };
}

export const OBJECTS: [string, Operator][] = [
  positional('$mergeObjects', 0, Number.POSITIVE_INFINITY, mergeObjects),
  unary('$objectToArray', objectToArray),
  ['$getField', getField],
  named('$setField', ['field', 'input', 'value'], ['field', 'input', 'value'], (parts, compile) =>
    setField('$setField', parts, compile),
  ),
  named('$unsetField', ['field', 'input'], ['field', 'input'], (parts, compile) =>
    setField('$unsetField', parts, compile),
  ),
];
