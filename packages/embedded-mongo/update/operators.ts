import { arithmetic, type Operation } from '../bson/arithmetic.ts';
import { compareValues } from '../bson/compare.ts';
import { isNumeric, type Numeric } from '../bson/numbers.ts';
import { type Path, pathOf } from '../bson/path.ts';
import { show } from '../bson/show.ts';
import { type Document, isDocument, Timestamp, typeName, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { ARRAY_OPERATORS } from './array-operators.ts';
import type { Apply, UpdateContext, UpdateOperator } from './operator.ts';
import { locate, type Place, setIn, unsetIn, valueIn } from './update-path.ts';

const setting =
  (compute: (current: Value | undefined, context: UpdateContext) => Value | undefined): Apply =>
  (path, context) => {
    const place = locate(context.document, path, true) as Place;
    const value = compute(valueIn(place), context);
    if (value !== undefined) setIn(place, value);
  };

function arithmeticOperator(name: string, operation: Operation, verb: string): UpdateOperator {
  return (argument, field) => {
    if (!isNumeric(argument)) {
      return fail(
        'TypeMismatch',
        `Cannot ${verb} with non-numeric argument: {${field}: ${show(argument)}}`,
      );
    }
    return setting((current, { document }) => {
      if (current === undefined) {
        return operation === 'add' ? argument : arithmetic('multiply', argument, 0);
      }
      if (!isNumeric(current)) return notNumeric(name, field, current, document);
      return arithmetic(operation, current, argument) ?? overflow(name, current, document);
    });
  };
}

const notNumeric = (name: string, field: string, current: Value, document: Document): never =>
  fail(
    'TypeMismatch',
    `Cannot apply ${name} to a value of non-numeric type. {_id: ${show(document.get('_id'))}} has the field '${field.split('.').at(-1)}' of non-numeric type ${typeName(current)}`,
  );

const overflow = (name: string, current: Numeric, document: Document): never =>
  fail(
    'BadValue',
    `Failed to apply ${name} operations to current value (${show(current)}) for document {_id: ${show(document.get('_id'))}}`,
  );

const extreme =
  (sign: number): UpdateOperator =>
  (argument) =>
    setting((current) =>
      current === undefined || compareValues(argument, current) * sign > 0 ? argument : undefined,
    );

const currentDate: UpdateOperator = (argument, field) => {
  const type = isDocument(argument) ? argument.get('$type') : 'date';
  if (typeof argument !== 'boolean' && !isDocument(argument)) {
    fail(
      'BadValue',
      `${typeName(argument)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    );
  }
  if (type !== 'date' && type !== 'timestamp') {
    fail(
      'BadValue',
      `The '$type' string field is required to be 'date' or 'timestamp': {${field}: {$type: ..}}`,
    );
  }
  return setting((_, { now }) => (type === 'date' ? now : timestampOf(now)));
};

let ordinal = 0n;
export const timestampOf = (now: Date): Timestamp =>
  new Timestamp((BigInt(Math.floor(now.getTime() / 1000)) << 32n) | (++ordinal & 0xffffffffn));

const unset: UpdateOperator =
  () =>
  (path, { document }) => {
    const place = locate(document, path, false);
    if (place && valueIn(place) !== undefined) unsetIn(place);
  };

/** Makes a $rename, which moves a field. Neither path may lead through an array. */
const rename: UpdateOperator = (argument, field) => {
  if (typeof argument !== 'string')
    return fail(
      'BadValue',
      `The 'to' field for $rename must be a string: ${field}: ${show(argument)}`,
    );
  const target = pathOf(argument);
  return (path, { document }) => {
    refuseArrays(document, path, 'source');
    const from = locate(document, path, false);
    const value = from && valueIn(from);
    if (!from || value === undefined) return;
    refuseArrays(document, target, 'destination');
    unsetIn(from);
    setIn(locate(document, target, true) as Place, value);
  };
};

function refuseArrays(document: Document, path: Path, end: string): void {
  let value: Value | undefined = document;
  for (const part of path) {
    if (Array.isArray(value))
      fail(
        'BadValue',
        `The ${end} field cannot be an array element, '${path.join('.')}' in doc with _id: ${show(document.get('_id'))} has an array field called '${part}'`,
      );
    value = value instanceof Map ? value.get(part) : undefined;
  }
}

const bit: UpdateOperator = (argument, field) => {
  if (!isDocument(argument) || argument.size === 0) {
    return fail(
      'BadValue',
      `The $bit modifier is not compatible with a ${typeName(argument)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    );
  }
  for (const [name, operand] of argument) {
    if (!['and', 'or', 'xor'].includes(name))
      fail(
        'BadValue',
        `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator: {${name}: ${show(operand)}}`,
      );
    if (typeof operand !== 'number' && typeof operand !== 'bigint')
      fail(
        'BadValue',
        `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(operand)}' is not supported here: {${name}: ${show(operand)}}`,
      );
  }
  return setting((current = 0) => {
    if (typeof current !== 'number' && typeof current !== 'bigint') {
      return fail(
        'BadValue',
        `Cannot apply $bit to a value of non-integral type. The field ${field} has the type ${typeName(current)}`,
      );
    }
    let long = typeof current === 'bigint';
    let result = BigInt(current);
    for (const [name, operand] of argument) {
      long ||= typeof operand === 'bigint';
      const mask = BigInt(operand as number | bigint);
      result = name === 'and' ? result & mask : name === 'or' ? result | mask : result ^ mask;
    }
    return long ? result : Number(result);
  });
};

const set: UpdateOperator = (argument) => setting(() => argument);

export const UPDATE_OPERATORS: ReadonlyMap<string, UpdateOperator> = new Map([
  ['$set', set],
  ['$setOnInsert', set],
  ['$unset', unset],
  ['$inc', arithmeticOperator('$inc', 'add', 'increment')],
  ['$mul', arithmeticOperator('$mul', 'multiply', 'multiply')],
  ['$min', extreme(-1)],
  ['$max', extreme(1)],
  ['$rename', rename],
  ['$currentDate', currentDate],
  ['$bit', bit],
  ...ARRAY_OPERATORS,
]);
