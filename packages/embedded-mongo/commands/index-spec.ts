import { isNumeric, numberOf, toDouble } from '../bson/numbers.ts';
import { isIndex } from '../bson/path.ts';
import { show } from '../bson/show.ts';
import { type Document, isCondition, isDocument, typeName, type Value } from '../bson/values.ts';
import { fail, MongoError, unsupported } from '../errors.ts';
import { compileFilter } from '../query/match.ts';
import { refuseCollation } from './request.ts';

const OPTIONS = new Set([
  'v',
  'key',
  'name',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
  'background',
  'hidden',
  'ns',
  'collation',
  'storageEngine',
  'prepareUnique',
]);
/** Options that this engine does not support, unless their value is false. */
const REFUSED = ['hidden', 'storageEngine', 'prepareUnique'];

/** Checks a specification and adds the default name. */
export function specOf(given: Document): Document {
  const key = given.get('key');
  if (!isDocument(key))
    return fail(
      'FailedToParse',
      "The 'key' field is a required property of an index specification",
    );
  if (key.size === 0) fail('CannotCreateIndex', 'Index keys cannot be empty.');
  for (const [field, direction] of key) checkKey(field, direction);
  for (const option of given.keys()) {
    if (!OPTIONS.has(option))
      fail(
        'InvalidOptions',
        `The field '${option}' is not valid for an index specification or not supported by the embedded database engine`,
      );
  }
  refuseCollation(given.get('collation'));
  const name = given.get('name') ?? [...key].map(([field, d]) => `${field}_${show(d)}`).join('_');
  const spec: Document = new Map<string, Value>([
    ['v', 2],
    ['key', key],
    ['name', name],
  ]);
  for (const [option, value] of given) {
    if (['v', 'key', 'name', 'ns', 'background', 'collation', ...REFUSED].includes(option))
      continue;
    if ((option === 'unique' || option === 'sparse') && !isTrue(value)) continue;
    spec.set(option, option === 'unique' || option === 'sparse' ? true : value);
  }
  for (const option of REFUSED) {
    if (given.has(option) && given.get(option) !== false)
      unsupported(`An index with '${option}'`, 'CannotCreateIndex');
  }
  checkVersion(given.get('v'));
  checkPartial(spec);
  checkExpiry(spec, key);
  return spec;
}

function checkVersion(version: Value | undefined): void {
  const v = version === undefined ? 2 : numberOf(version);
  if (v === 1 || v === 2) return;
  fail(
    'CannotCreateIndex',
    `Invalid index specification; cannot create an index with v=${show(version)}`,
  );
}

const isTrue = (value: Value): boolean =>
  value === true || (isNumeric(value) && toDouble(value) !== 0);

function checkKey(field: string, direction: Value): void {
  if (typeof direction === 'string')
    unsupported(`An index of type '${direction}'`, 'CannotCreateIndex');
  if (!isNumeric(direction) || toDouble(direction) === 0 || Number.isNaN(toDouble(direction))) {
    fail(
      'CannotCreateIndex',
      `Values in v:2 index key pattern must be non-zero numbers or strings, not ${typeName(direction)}`,
    );
  }
  const parts = field.split('.');
  if (parts.includes('')) fail('CannotCreateIndex', 'Index keys cannot contain an empty field.');
  if (parts.includes('$**')) unsupported('A wildcard index', 'CannotCreateIndex');
  if (parts.some((part) => part.startsWith('$')))
    fail(
      'CannotCreateIndex',
      `Index key contains an illegal field name: field name starts with '$': ${field}`,
    );
  if (parts.some(isIndex))
    unsupported(`An index on an element's position ('${field}')`, 'CannotCreateIndex');
}

const PARTIAL = new Set(['$eq', '$gt', '$gte', '$lt', '$lte', '$in', '$type', '$exists']);

/** Checks the filter of a partial index. MongoDB allows no conditions there that missing fields fulfil. */
function checkPartial(spec: Document): void {
  const filter = spec.get('partialFilterExpression');
  if (filter === undefined) return;
  if (!isDocument(filter)) {
    throw new MongoError('CannotCreateIndex', "'partialFilterExpression' has to be a document");
  }
  if (spec.get('sparse') === true)
    fail('CannotCreateIndex', "cannot mix 'partialFilterExpression' and 'sparse' options");
  compileFilter(filter);
  checkConditions(filter);
}

function checkConditions(filter: Document): void {
  for (const [name, condition] of filter) {
    if (name === '$and' && Array.isArray(condition)) {
      for (const clause of condition) if (isDocument(clause)) checkConditions(clause);
    } else if (name.startsWith('$')) unsupported(`${name} in a partial index`, 'CannotCreateIndex');
    else if (isCondition(condition)) {
      for (const [operator, argument] of condition) {
        const bad = !PARTIAL.has(operator) || (operator === '$exists' && !isTrue(argument));
        if (bad)
          fail('CannotCreateIndex', `unsupported expression in partial index: ${name} ${operator}`);
      }
    }
  }
}

function checkExpiry(spec: Document, key: Document): void {
  const expiry = spec.get('expireAfterSeconds');
  if (expiry === undefined) return;
  if (!isNumeric(expiry) || toDouble(expiry) < 0 || toDouble(expiry) > 2_147_483_647) {
    fail(
      'CannotCreateIndex',
      "TTL index 'expireAfterSeconds' option must be within an acceptable range",
    );
  }
  if (key.size !== 1 || key.has('_id'))
    fail(
      'CannotCreateIndex',
      'TTL indexes are single-field indexes, compound indexes do not support TTL',
    );
}
