import { integerOf, isNumeric, toDouble } from '../bson/numbers.ts';
import { show } from '../bson/show.ts';
import {
  type Document,
  isCondition,
  isDocument,
  Regex,
  typeName,
  type Value,
} from '../bson/values.ts';
import { fail, unsupported } from '../errors.ts';
import { compileFilter } from '../query/match.ts';
import { refuseCollation } from './fields/collation.ts';
import { isTrue } from './fields/fields.ts';
import { checkKey } from './index-key.ts';

type CheckOption = (value: Value, option: string) => void;

/** Makes the check of an option's type. `type` is the type with its article, as in MongoDB's error. */
const mustBe =
  (type: string, holds: (value: Value) => boolean): CheckOption =>
  (value, option) => {
    if (!holds(value))
      fail('TypeMismatch', `The field '${option}' must be ${type}, but got ${typeName(value)}`);
  };

const anything: CheckOption = () => {};
const anObject = mustBe('an object', isDocument);
const aString = mustBe('a string', (value) => typeof value === 'string');
const aFlag: CheckOption = (value, option) => {
  if (typeof value !== 'boolean' && !isNumeric(value)) {
    fail(
      'TypeMismatch',
      `The field '${option} has value ${option}: ${show(value)}, which is not convertible to bool`,
    );
  }
};
const leftOut: CheckOption = (_, option) =>
  unsupported(`An index with '${option}'`, 'CannotCreateIndex');
const onlyFalse: CheckOption = (value, option) => {
  aFlag(value, option);
  if (isTrue(value)) leftOut(value, option);
};

/** All options of MongoDB's indexes, with the check of each one's value. */
const OPTIONS: ReadonlyMap<string, CheckOption> = new Map<string, CheckOption>([
  ['v', checkVersion],
  ['key', anObject],
  ['name', aString],
  ['ns', anything],
  ['background', aFlag],
  ['unique', aFlag],
  ['sparse', aFlag],
  ['dropDups', aFlag],
  ['hidden', checkHidden],
  ['prepareUnique', onlyFalse],
  ['clustered', onlyFalse],
  ['collation', checkCollation],
  ['partialFilterExpression', anObject],
  ['expireAfterSeconds', checkExpiry],
  ['storageEngine', leftOut],
  ['originalSpec', leftOut],
  ['wildcardProjection', leftOut],
  ['columnstoreProjection', leftOut],
  ['columnstoreCompressor', leftOut],
  ['weights', leftOut],
  ['default_language', leftOut],
  ['language_override', leftOut],
  ['textIndexVersion', leftOut],
  ['2dsphereIndexVersion', leftOut],
  ['bits', leftOut],
  ['min', leftOut],
  ['max', leftOut],
  ['bucketSize', leftOut],
  ['coarsestIndexedLevel', leftOut],
  ['finestIndexedLevel', leftOut],
]);

/** Options that an index is listed without. */
const NOT_LISTED = new Set(['v', 'key', 'name', 'ns', 'background', 'collation', 'dropDups']);
const FLAGS = new Set(['unique', 'sparse', 'hidden', 'prepareUnique', 'clustered']);
const ID_OPTIONS = new Set(['v', 'key', 'name', 'ns', 'collation']);

/** Checks a specification, and returns it as it is stored. */
export function specOf(given: Document): Document {
  const key = checkOptions(given);
  const name = given.get('name');
  if (isIdKey(key)) checkIdSpec(given, key);
  else checkName(name, key);
  const spec: Document = new Map<string, Value>([
    ['v', integerOf(given.get('v')) ?? 2],
    ['key', key],
    ['name', name as Value],
  ]);
  for (const [option, value] of given) {
    if (FLAGS.has(option) ? isTrue(value) : !NOT_LISTED.has(option))
      spec.set(option, FLAGS.has(option) ? true : value);
  }
  checkPartial(spec);
  if (spec.has('expireAfterSeconds') && key.size !== 1) {
    fail(
      'CannotCreateIndex',
      'TTL indexes are single-field indexes, compound indexes do not support TTL',
    );
  }
  return spec;
}

/** Checks the specification of an _id index, which has only one form. */
export function checkIdIndex(given: Document): void {
  checkIdSpec(given, checkOptions(given));
}

export const withoutUnknownOptions = (given: Document): Document =>
  new Map([...given].filter(([option]) => OPTIONS.has(option)));

/** Checks the options one by one. Returns the key of the index. */
function checkOptions(given: Document): Document {
  for (const option of given.keys()) {
    if (OPTIONS.has(option)) continue;
    fail(
      'InvalidIndexSpecificationOption',
      `The field '${option}' is not valid for an index specification. Specification: ${show(given)}`,
    );
  }
  for (const [option, value] of given) {
    OPTIONS.get(option)?.(value, option);
    if (option === 'key' && isDocument(value)) checkKey(value);
  }
  for (const option of ['key', 'name']) {
    if (given.has(option)) continue;
    fail('FailedToParse', `The '${option}' field is a required property of an index specification`);
  }
  return given.get('key') as Document;
}

/** Tells whether a key is meant to be that of the _id index: {_id: 1} or {_id: -1}. */
function isIdKey(key: Document): boolean {
  const direction = key.get('_id');
  return key.size === 1 && isNumeric(direction) && Math.abs(Math.trunc(toDouble(direction))) === 1;
}

function checkIdSpec(given: Document, key: Document): void {
  for (const option of given.keys()) {
    if (ID_OPTIONS.has(option)) continue;
    fail(
      'InvalidIndexSpecificationOption',
      `The field '${option}' is not valid for an _id index specification. Specification: ${show(given)}`,
    );
  }
  const direction = key.get('_id');
  if (key.size !== 1 || !isNumeric(direction) || toDouble(direction) !== 1)
    fail('BadValue', `The field 'key' for an _id index must be {_id: 1}, but got ${show(key)}`);
}

function checkName(name: Value | undefined, key: Document): void {
  if (name === '_id_') {
    fail(
      'BadValue',
      `The index name '_id_' is reserved for the _id index, which must have key pattern {_id: 1}, found ${show(key)}`,
    );
  }
  if (name === '*') fail('BadValue', "The index name '*' is not valid.");
  if (name === '') fail('CannotCreateIndex', 'index names cannot be empty');
  if (typeof name === 'string' && name.includes('\0'))
    fail('CannotCreateIndex', 'index names cannot contain NUL bytes');
}

function checkVersion(value: Value): void {
  if (!isNumeric(value))
    fail('TypeMismatch', `The field 'v' must be a number, but got ${typeName(value)}`);
  const version = integerOf(value);
  if (version === undefined)
    fail('BadValue', 'Index version must be representable as a 32-bit integer');
  if (version !== 1 && version !== 2)
    fail('CannotCreateIndex', `cannot create an index with v=${version}`);
}

function checkHidden(value: Value): void {
  if (typeof value !== 'boolean')
    fail('TypeMismatch', `The field 'hidden' must be a bool, but got ${typeName(value)}`);
  if (value) leftOut(value, 'hidden');
}

function checkCollation(value: Value): void {
  anObject(value, 'collation');
  if (isDocument(value) && value.size === 0)
    fail('BadValue', "The field 'collation' cannot be an empty object.");
  refuseCollation(value);
}

function checkExpiry(value: Value): void {
  if (isNumeric(value) && toDouble(value) >= 0 && toDouble(value) <= 2_147_483_647) return;
  fail(
    'CannotCreateIndex',
    "TTL index 'expireAfterSeconds' option must be within an acceptable range",
  );
}

const PARTIAL = new Set(['$eq', '$gt', '$gte', '$lt', '$lte', '$in', '$type', '$exists']);

/** Checks the filter of a partial index. MongoDB allows no conditions there that missing fields fulfil. */
function checkPartial(spec: Document): void {
  const filter = spec.get('partialFilterExpression');
  if (!isDocument(filter)) return;
  if (spec.has('sparse'))
    fail('CannotCreateIndex', "cannot mix 'partialFilterExpression' and 'sparse' options");
  if (filter.has('$expr')) fail('QueryFeatureNotAllowed', '$expr is not allowed in this context');
  compileFilter(filter);
  checkConditions(filter);
}

const notInPartial = (condition: string): never =>
  fail('CannotCreateIndex', `Expression not supported in partial index: ${condition}`);

function checkConditions(filter: Document): void {
  for (const [name, condition] of filter) {
    if (name === '$and' && Array.isArray(condition)) {
      for (const clause of condition) if (isDocument(clause)) checkConditions(clause);
    } else if (name === '$or') unsupported('$or in a partial index', 'CannotCreateIndex');
    else if (name.startsWith('$') && name !== '$comment') notInPartial(name);
    else if (condition instanceof Regex) notInPartial(`${name} regex`);
    else if (isCondition(condition)) {
      for (const [operator, argument] of condition) {
        if (!PARTIAL.has(operator) || (operator === '$exists' && !isTrue(argument)))
          notInPartial(`${name} ${operator}`);
      }
    }
  }
}
