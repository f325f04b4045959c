import { isDocument, isOperators, type Value } from '../../bson/values.ts';
import { fail, unsupported } from '../../errors.ts';
import { type Expression, isNullish } from '../variables.ts';
import {
  type Argument,
  type Compile,
  type NamedSignature,
  named,
  type Operator,
  unary,
  variadic,
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
    return fail(
      operator === '$getField' ? 5654602 : 4161107,
      `${operator} requires 'field' to evaluate to type String`,
    );
  return fieldName(name);
}

const [, getFieldOfParts] = named(
  '$getField',
  {
    object: 3041701,
    unknown: 3041701,
    required: { field: 3041702, input: 3041703 },
    optional: {},
  },
  (parts, compile) => readField(parts.get('field'), parts.get('input') as Value, compile),
);

/** Compiles {$getField: {field, input}}, or {$getField: field} of the whole document. */
const getField: Operator['build'] = (argument, compile) =>
  isDocument(argument) && !isOperators(argument)
    ? getFieldOfParts.build(argument, compile)
    : readField(argument, '$$CURRENT', compile);

function readField(field: Value | undefined, from: Value, compile: Compile): Expression {
  const name = constantName('$getField', field);
  const input = compile(from);
  return (variables) => {
    const object = input(variables);
    if (isNullish(object)) return object === undefined ? undefined : null;
    return isDocument(object) ? object.get(name) : undefined;
  };
}

function setField(
  operator: string,
  parts: ReadonlyMap<string, Value>,
  compile: Compile,
): Expression {
  const name = constantName(operator, parts.get('field'));
  const input = compile(parts.get('input') as Value);
  const value = compile(parts.has('value') ? (parts.get('value') as Value) : '$$REMOVE');
  return (variables) => {
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

const UNSET_FIELD: NamedSignature = {
  object: 4161100,
  unknown: 4161101,
  required: { field: 4161102, input: 4161109 },
  optional: {},
};
const SET_FIELD: NamedSignature = {
  ...UNSET_FIELD,
  required: { ...UNSET_FIELD.required, value: 4161103 },
};

export const OBJECTS: [string, Operator][] = [
  variadic('$mergeObjects', mergeObjects),
  unary('$objectToArray', objectToArray),
  ['$getField', { build: getField, signature: getFieldOfParts.signature }],
  named('$setField', SET_FIELD, (parts, compile) => setField('$setField', parts, compile)),
  named('$unsetField', UNSET_FIELD, (parts, compile) => setField('$unsetField', parts, compile)),
];
