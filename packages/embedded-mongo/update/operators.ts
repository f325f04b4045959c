import { arithmetic, type Operation } from '../bson/arithmetic.ts';
import { compareValues } from '../bson/compare.ts';
import { isNumeric, type Numeric } from '../bson/numbers.ts';
import { show } from '../bson/show.ts';
import { type Document, isDocument, Timestamp, typeName, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { ARRAY_OPERATORS } from './array-operators.ts';
import { type Apply, setting, type UpdateOperator } from './operator.ts';
import { rename } from './rename.ts';

function arithmeticOperator(name: string, operation: Operation, verb: string): UpdateOperator {
  return (argument, field) => {
    if (!isNumeric(argument)) {
      return fail(
        'TypeMismatch',
        `Cannot ${verb} with non-numeric argument: {${field}: ${show(argument)}}`,
      );
    }
    return setting((current, { working }) => {
      if (current === undefined) {
        return operation === 'add' ? argument : arithmetic('multiply', argument, 0);
      }
      if (!isNumeric(current)) return notNumeric(name, field, current, working.document);
      return arithmetic(operation, current, argument) ?? overflow(name, current, working.document);
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
  for (const name of isDocument(argument) ? argument.keys() : [])
    if (name !== '$type') fail('BadValue', `Unrecognized $currentDate option: ${name}`);
  if (type !== 'date' && type !== 'timestamp') {
    fail(
      'BadValue',
      `The '$type' string field is required to be 'date' or 'timestamp': {${field}: {$type: ..}}`,
    );
  }
  return setting((_, { now, working }) => {
    working.touched = true;
    return type === 'date' ? now : timestampOf(now);
  });
};

let ordinal = 0n;
export const timestampOf = (now: Date): Timestamp =>
  new Timestamp((BigInt(Math.floor(now.getTime() / 1000)) << 32n) | (++ordinal & 0xffffffffn));

const unset: UpdateOperator =
  () =>
  (path, { working }) => {
    const place = working.find(path);
    if (place.value !== undefined) working.unset(place);
  };

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

const setOnInsert: UpdateOperator = (argument, field) => {
  const apply: Apply = set(argument, field);
  return (path, context) => {
    if (context.isInsert) apply(path, context);
  };
};

export const UPDATE_OPERATORS: ReadonlyMap<string, UpdateOperator> = new Map([
  ['$set', set],
  ['$setOnInsert', setOnInsert],
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
