import { randomBytes } from 'node:crypto';
import { pathOf } from '../bson/path.ts';
import {
  type Document,
  isCondition,
  isDocument,
  ObjectId,
  Regex,
  type Value,
} from '../bson/values.ts';
import { fail } from '../errors.ts';
import { WorkingDocument } from './working-document.ts';

/**
 * Makes the first fields of an upsert's document from the equalities of its query. A replacement takes only the _id from
 * its query, which then must be given as a whole.
 */
export function upsertSeed(query: Document, isReplacement: boolean): Document {
  const seed = new WorkingDocument(new Map());
  const given = new Set<Value>();
  for (const [name, value] of equalities(query)) {
    if (isReplacement && name !== '_id') {
      if (name.startsWith('_id.')) refusePartOfId(name);
      continue;
    }
    const place = seed.find(pathOf(name));
    const isWithin = place.parents.some((parent) => given.has(parent));
    if (place.value !== undefined || place.obstacle !== undefined || isWithin) {
      fail(
        'NotSingleValueField',
        `cannot infer query fields to set, path '${name}' is matched twice`,
      );
    }
    given.add(value);
    seed.set(place, value);
  }
  return seed.document;
}

const refusePartOfId = (name: string): never =>
  fail(
    'NotExactValueField',
    `field at '_id' must be exactly specified, field at sub-path '${name}'found`,
  );

function equalities(query: Document, found: [string, Value][] = []): [string, Value][] {
  for (const [name, condition] of query) {
    if (name === '$and' || (name === '$or' && Array.isArray(condition) && condition.length === 1)) {
      for (const clause of condition as Value[]) if (isDocument(clause)) equalities(clause, found);
    } else if (!name.startsWith('$')) {
      const value = equalityOf(condition);
      if (value !== undefined) found.push([name, value]);
    }
  }
  return found;
}

function equalityOf(condition: Value): Value | undefined {
  if (!isCondition(condition)) return condition instanceof Regex ? undefined : condition;
  if (condition.has('$eq')) return condition.get('$eq');
  for (const list of [condition.get('$all'), condition.get('$in')]) {
    if (!Array.isArray(list) || list.length !== 1) continue;
    const [only] = list;
    if (only !== undefined && !isCondition(only) && !(only instanceof Regex)) return only;
  }
  return undefined;
}

const process5 = randomBytes(5);
let counter = randomBytes(3).readUIntBE(0, 3);

/** Makes an ObjectId from the seconds, a random value of this process and a counter. */
function newObjectId(now = Date.now()): ObjectId {
  const bytes = Buffer.allocUnsafe(12);
  bytes.writeUInt32BE(Math.floor(now / 1000), 0);
  bytes.set(process5, 4);
  counter = (counter + 1) & 0xffffff;
  bytes.writeUIntBE(counter, 9, 3);
  return new ObjectId(bytes);
}

/** Returns the document with its _id as the first field. A document without an _id gets a new _id. */
export function withId(
  document: Document,
  id: Value = document.has('_id') ? (document.get('_id') as Value) : newObjectId(),
): Document {
  const result: Document = new Map([['_id', id]]);
  for (const [name, value] of document) if (name !== '_id') result.set(name, value);
  return result;
}
