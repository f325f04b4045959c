import { Decimal128 } from 'bson';
import { fitsLong } from '../../bson/arithmetic.ts';
import { toDecimal } from '../../bson/decimals.ts';
import { exactOf, int32Of, isNumeric, isZero, toDouble, wholeOf } from '../../bson/numbers.ts';
import {
  Deprecated,
  Double,
  isSymbol,
  ObjectId,
  symbolText,
  Timestamp,
  TYPE,
  typeName,
  typeOf,
  type Value,
} from '../../bson/values.ts';
import { fail, MongoError, unsupported } from '../../errors.ts';
import { isNullish } from '../variables.ts';
import {
  type Argument,
  dateAt,
  evaluated,
  type NamedSignature,
  type Operator,
  unary,
} from './arguments.ts';
import { checkYear } from './calendar.ts';
import { doubleText } from './double-text.ts';

const refuse = (value: Argument, to: string): never =>
  fail(
    'ConversionFailure',
    `Unsupported conversion from ${typeName(value)} to ${to} in $convert with no onError value`,
  );

const unparsable = (value: string, to: string): never =>
  fail('ConversionFailure', `Failed to parse ${to} '${value}' in $convert with no onError value`);

/** Converts the argument of a string operator: null to an empty string, numbers and dates to their text. */
export function toText(value: Argument): string {
  if (isNullish(value)) return '';
  if (typeof value === 'string') return value;
  if (value instanceof Double) return specialText(value.value) ?? doubleText(value.value);
  if (isNumeric(value)) return value.toString();
  if (value instanceof Date) return dateText(value);
  // A symbol and a piece of code have the same bytes.
  if (value instanceof Deprecated && (isSymbol(value) || value.type === TYPE.javascript))
    return symbolText(value);
  if (value instanceof Timestamp) unsupported('The text of a timestamp');
  return fail(16007, `can't convert from BSON type ${typeName(value)} to String`);
}

/** Returns the text that C's printf writes for NaN and infinities, which MongoDB's string operators use. */
function specialText(n: number): string | undefined {
  if (Number.isNaN(n)) return 'nan';
  if (Number.isFinite(n)) return undefined;
  return n > 0 ? 'inf' : '-inf';
}

/** Returns the text of a date in UTC. Throws for years that have no four digits, as MongoDB does. */
function dateText(date: Date): string {
  checkYear(date);
  return date.toISOString();
}

function toStringValue(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Date) return dateText(value);
  if (value instanceof ObjectId) return value.bytes.toString('hex');
  if (value instanceof Double) return doubleText(value.value);
  if (isNumeric(value)) return value.toString();
  return refuse(value, 'string');
}

/** Converts a value to a whole number, for $toInt and $toLong. */
function whole(value: Value, to: string): bigint {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') {
    return /^[+-]?\d+$/.test(value) ? BigInt(value.replace('+', '')) : unparsable(value, 'number');
  }
  if (value instanceof Date && to === 'long') return BigInt(value.getTime());
  if (!isNumeric(value)) return refuse(value, to);
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value);
  return (
    wholeOf(exactOf(value)) ??
    fail(
      'ConversionFailure',
      `Attempt to convert ${toDouble(value)} value to integer type in $convert with no onError value`,
    )
  );
}

const overflow = (value: bigint): never =>
  fail(
    'ConversionFailure',
    `Conversion would overflow target type in $convert with no onError value: ${value}`,
  );

function toInt(value: Value): Value {
  const n = whole(value, 'int');
  return n === BigInt.asIntN(32, n) ? Number(n) : overflow(n);
}

function toLong(value: Value): Value {
  const n = whole(value, 'long');
  return fitsLong(n) ? n : overflow(n);
}

const NUMBER = /^[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?|nan)$/i;

function toDoubleValue(value: Value): Value {
  if (typeof value === 'boolean') return new Double(Number(value));
  if (value instanceof Date) return new Double(value.getTime());
  if (typeof value === 'string') {
    if (!NUMBER.test(value)) return unparsable(value, 'number');
    return new Double(Number(value.replace(/inf(inity)?/i, 'Infinity').replace(/nan/i, 'NaN')));
  }
  return isNumeric(value) ? new Double(toDouble(value)) : refuse(value, 'double');
}

function toDecimalValue(value: Value): Value {
  if (typeof value === 'boolean') return Decimal128.fromString(value ? '1' : '0');
  if (value instanceof Date) return Decimal128.fromString(String(value.getTime()));
  if (typeof value === 'string')
    return NUMBER.test(value) ? Decimal128.fromString(value) : unparsable(value, 'number');
  return isNumeric(value) ? toDecimal(value) : refuse(value, 'decimal');
}

function toDate(value: Value): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return new Date(value.bytes.readUInt32BE(0) * 1000);
  if (value instanceof Timestamp) return new Date(Number(value.value >> 32n) * 1000);
  if (typeof value === 'bigint' || value instanceof Double || value instanceof Decimal128) {
    const n = whole(value, 'date');
    return fitsLong(n) ? dateAt(Number(n)) : overflow(n);
  }
  if (typeof value === 'string') {
    const time =
      /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/.test(value)
        ? Date.parse(
            /T.*(Z|[+-]\d{2}:?\d{2})$/.test(value) || !value.includes('T') ? value : `${value}Z`,
          )
        : Number.NaN;
    if (!Number.isNaN(time) && isOnCalendar(value)) return new Date(time);
    return fail('ConversionFailure', `Error parsing date string '${value}'`);
  }
  return refuse(value, 'date');
}

/** Tells whether a date exists. JavaScript reads February 30 as March 2, and 24:00 as the next day. */
function isOnCalendar(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0] = (text.match(/\d+/g) ?? []).map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate() && hour < 24;
}

function toObjectId(value: Value): Value {
  if (value instanceof ObjectId) return value;
  if (typeof value !== 'string') return refuse(value, 'objectId');
  if (!/^[0-9a-fA-F]{24}$/.test(value)) return unparsable(value, 'objectId');
  return new ObjectId(Buffer.from(value, 'hex'));
}

const toBool = (value: Value): Value => {
  if (typeof value === 'boolean') return value;
  return isNumeric(value) ? !isZero(value) : true;
};

const CONVERTERS = new Map<string, (value: Value) => Value>([
  ['int', toInt],
  ['long', toLong],
  ['double', toDoubleValue],
  ['decimal', toDecimalValue],
  ['string', toStringValue],
  ['bool', toBool],
  ['date', toDate],
  ['objectId', toObjectId],
]);

const conversion = (name: string, to: string): [string, Operator] =>
  unary(name, (value) => (isNullish(value) ? null : CONVERTERS.get(to)?.(value)));

const CODES = new Map<number, string>(Object.entries(TYPE).map(([name, code]) => [code, name]));

/** Returns the name of a target type, given as a name or as the number of a BSON type. */
function targetOf(to: Value): string {
  if (typeof to === 'string') {
    return Object.hasOwn(TYPE, to) ? to : fail('BadValue', `Unknown type name: ${to}`);
  }
  if (!isNumeric(to)) {
    return fail(
      'FailedToParse',
      `$convert's 'to' argument must be a string or number, but is ${typeName(to)}`,
    );
  }
  const code =
    int32Of(to) ?? fail('FailedToParse', "In $convert, numeric 'to' argument is not an integer");
  // MinKey is -1 where it is not written as a byte.
  const name = code === -1 ? 'minKey' : code === TYPE.minKey ? undefined : CODES.get(code);
  return (
    name ??
    fail(
      'FailedToParse',
      `In $convert, numeric value for 'to' does not correspond to a BSON type: ${code}`,
    )
  );
}

const CONVERT: NamedSignature = {
  object: 'FailedToParse',
  unknown: 'FailedToParse',
  required: { input: 'FailedToParse', to: 'FailedToParse' },
  optional: { onError: 'value', onNull: 'value' },
};

const convert = evaluated('$convert', CONVERT, ({ get, has }) => {
  const [to, input] = [get('to'), get('input')];
  const target = isNullish(to) ? undefined : targetOf(to);
  if (isNullish(input)) return has('onNull') ? get('onNull') : null;
  if (target === undefined) return null;
  try {
    return (CONVERTERS.get(target) ?? ((value) => refuse(value, target)))(input);
  } catch (error) {
    if (error instanceof MongoError && error.codeName === 'ConversionFailure' && has('onError'))
      return get('onError');
    throw error;
  }
});

export const CONVERSIONS: [string, Operator][] = [
  conversion('$toInt', 'int'),
  conversion('$toLong', 'long'),
  conversion('$toDouble', 'double'),
  conversion('$toDecimal', 'decimal'),
  conversion('$toString', 'string'),
  conversion('$toBool', 'bool'),
  conversion('$toDate', 'date'),
  conversion('$toObjectId', 'objectId'),
  convert,
  unary('$type', (value) => (value === undefined ? 'missing' : typeName(value))),
  unary('$isNumber', (value) => isNumeric(value) && typeOf(value) > 0),
];
