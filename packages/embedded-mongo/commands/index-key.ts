import { encodeDocument } from '../bson/encode.ts';
import { isNumeric, toDouble } from '../bson/numbers.ts';
import { isIndex } from '../bson/path.ts';
import { type Document, typeName, type Value } from '../bson/values.ts';
import { fail, MongoError, unsupported } from '../errors.ts';

/** Bytes of an index's key. MongoDB refuses a longer one. */
const MAX_KEY_BYTES = 2048;
/** The fields of a reference to a document, which an index may have although they begin with `$`. */
const REFERENCE = new Set(['$ref', '$id', '$db']);

/** Throws for a key that no index can have. */
export function checkKey(key: Document): void {
  if (encodeDocument(key).length > MAX_KEY_BYTES)
    fail('CannotCreateIndex', 'Index key pattern too large.');
  if (key.size === 0) fail('CannotCreateIndex', 'Index keys cannot be empty.');
  for (const [field, direction] of key) {
    checkDirection(direction);
    checkField(field);
  }
}

function checkDirection(direction: Value): void {
  if (direction === '')
    fail('CannotCreateIndex', 'Values in the index key pattern cannot be empty strings');
  if (typeof direction === 'string')
    unsupported(`An index of type '${direction}'`, 'CannotCreateIndex');
  if (!isNumeric(direction)) {
    throw new MongoError(
      'CannotCreateIndex',
      `Values in v:2 index key pattern cannot be of type ${typeName(direction)}. Only numbers > 0, numbers < 0, and strings are allowed.`,
    );
  }
  const n = toDouble(direction);
  if (Number.isNaN(n)) fail('CannotCreateIndex', 'Values in the index key pattern cannot be NaN.');
  if (n === 0) fail('CannotCreateIndex', 'Values in the index key pattern cannot be 0.');
}

function checkField(field: string): void {
  const parts = field.split('.');
  if (parts.includes('')) fail('CannotCreateIndex', 'Index keys cannot contain an empty field.');
  if (parts.includes('$**')) unsupported('A wildcard index', 'CannotCreateIndex');
  if (parts.some((part, i) => part.startsWith('$') && (i === 0 || !REFERENCE.has(part)))) {
    fail(
      'CannotCreateIndex',
      "Index key contains an illegal field name: field name starts with '$'.",
    );
  }
  if (parts.some(isIndex))
    unsupported(`An index on an element's position ('${field}')`, 'CannotCreateIndex');
}
