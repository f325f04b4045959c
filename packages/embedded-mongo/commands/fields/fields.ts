import { isNumeric, toDouble } from '../../bson/numbers.ts';
import { type Document, isDocument, typeName, UNDEFINED, type Value } from '../../bson/values.ts';
import { fail, MongoError, missingField, unsupported } from '../../errors.ts';
import { refuseCollation } from './collation.ts';

/** A field of a command or of one of its statements. */
export interface Field {
  /** Throws for a value that the field does not take. `path` names the field in the error. */
  check?: (value: Value, path: string) => void;
  isRequired?: boolean;
  /** Whether the field is outside of the Stable API, so that `apiStrict` refuses it. */
  isUnstable?: boolean;
}

/** The fields of a command or of its statements, by their names. */
export interface FieldTable {
  name: string;
  fields: ReadonlyMap<string, Field & { path: string }>;
  required: readonly string[];
}

/** Makes a table of fields. The table's name begins the paths of its fields, as in `update.updates.q`. */
export function fieldTable(name: string, fields: { [field: string]: Field }): FieldTable {
  const entries = Object.entries(fields);
  return {
    name,
    fields: new Map(entries.map(([key, field]) => [key, { ...field, path: `${name}.${key}` }])),
    required: entries.filter(([, { isRequired }]) => isRequired).map(([key]) => key),
  };
}

/** Throws for unknown fields, fields of a wrong type and missing fields, as MongoDB does. */
export function checkFields(table: FieldTable, body: Document, isStrict = false): void {
  for (const name of body.keys()) {
    const field = table.fields.get(name);
    if (!field)
      throw new MongoError(40415, `BSON field '${table.name}.${name}' is an unknown field.`);
    if (isStrict && field.isUnstable) {
      fail('APIStrictError', `BSON field '${field.path}' is not allowed with apiStrict:true.`);
    }
    field.check?.(body.get(name) as Value, field.path);
  }
  for (const name of table.required) {
    if (isAbsent(body.get(name))) missingField(`${table.name}.${name}`);
  }
}

/** Tells whether a field counts as left out: it is missing, or null or undefined, which typed fields ignore. */
const isAbsent = (value: Value | undefined): boolean =>
  value === undefined || value === null || value === UNDEFINED;

/** Makes a field of one or several types, as MongoDB's error lists them. */
function typed(holds: (value: Value) => boolean, ...types: string[]): Field {
  const [only] = types;
  const expected =
    types.length === 1 ? `expected type '${only}'` : `expected types '[${types.join(', ')}']`;
  return {
    check(value, path) {
      if (holds(value) || isAbsent(value)) return;
      fail(
        'TypeMismatch',
        `BSON field '${path}' is the wrong type '${typeName(value)}', ${expected}`,
      );
    },
  };
}

const isBoolean = (value: Value): boolean => typeof value === 'boolean';
const NUMBERS = ['long', 'int', 'decimal', 'double'];

export const ANY: Field = {};
export const OBJECT = typed(isDocument, 'object');
export const ARRAY = typed((value) => Array.isArray(value), 'array');
export const STRING = typed((value) => typeof value === 'string', 'string');
export const LONG = typed((value) => typeof value === 'bigint', 'long');
export const NUMBER = typed(isNumeric, ...NUMBERS);
/** A boolean that takes no number. */
export const BOOL = typed(isBoolean, 'bool');
/** A boolean for which a number stands as well. */
export const SAFE_BOOL = typed((value) => isBoolean(value) || isNumeric(value), 'bool', ...NUMBERS);
/** A whole number that is not negative. */
export const COUNT: Field = {
  check(value, path) {
    NUMBER.check?.(value, path);
    if (!isNumeric(value) || !(Math.trunc(toDouble(value)) < 0)) return;
    const name = path.slice(path.lastIndexOf('.') + 1);
    fail(51024, `BSON field '${name}' value must be >= 0, actual value '${toDouble(value)}'`);
  },
};

/** The limit of count, of any sign. */
export const COUNT_LIMIT: Field = {
  check(value) {
    if (!isNumeric(value)) fail('BadValue', 'limit value is not a valid number');
  },
};

/** The skip of count. */
export const COUNT_SKIP: Field = {
  check(value) {
    if (!isNumeric(value)) return fail('BadValue', 'skip value is not a valid number');
    if (Math.trunc(toDouble(value)) < 0) fail('BadValue', 'skip value is negative in count query');
  },
};

/** The name or the key of an index. */
export const HINT: Field = {
  check(value) {
    if (typeof value !== 'string' && !isDocument(value))
      fail('FailedToParse', 'Hint must be a string or an object');
  },
};

export const COLLATION: Field = {
  check(value, path) {
    OBJECT.check?.(value, path);
    refuseCollation(value);
  },
};

export const required = (field: Field): Field => ({ ...field, isRequired: true });
export const unstable = (field: Field): Field => ({ ...field, isUnstable: true });

/** Makes a field that MongoDB knows and this engine does not support. Values that ask for nothing are accepted. */
export const refused = (what: string): Field => ({
  check(value) {
    const asksNothing =
      isAbsent(value) || value === false || (isDocument(value) && value.size === 0);
    if (!asksNothing) unsupported(what);
  },
});

/** Tells whether a value of a field that takes booleans and numbers means true. */
export const isTrue = (value: Value | undefined): boolean =>
  value === true || (isNumeric(value) && toDouble(value) !== 0);
