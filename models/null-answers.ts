import type { mongo, Schema } from 'mongoose';

type Fields = Record<string, unknown>;

/**
 * Lets every read of a model's collection, also past mongoose, answer without the optional fields that are null. MongoDB
 * answers a query that an index covers from the index, which has null for a field that the document lacks.
 */
export function omitNullAnswers(collection: object, schema: Schema): void {
  const reads = collection as mongo.Collection<Fields>;
  const { find, findOne } = reads;
  Object.assign(reads, {
    find(filter: Fields, options: mongo.FindOptions = {}) {
      const omit = omissionOf(schema, options.projection);
      const cursor = find.call(reads, filter, options);
      return omit ? cursor.map(omit) : cursor;
    },
    async findOne(filter: Fields, options: mongo.FindOptions = {}) {
      const omit = omissionOf(schema, options.projection);
      const found = await findOne.call(reads, filter, options);
      return omit && found ? omit(found) : found;
    },
  });
}

/** Returns what removes null from the projected fields of an answer; undefined for a query that no index covers. */
function omissionOf(
  schema: Schema,
  projection?: object,
): (<Row extends object>(row: Row) => Row) | undefined {
  const fields = Object.entries(projection ?? {}).filter(([path]) => path !== '_id');
  if (!fields.length || !fields.every(([, isIncluded]) => isIncluded)) return undefined;
  const paths = fields.map(([path]) => path.split('.'));
  return (row) => {
    for (const path of paths) omitNull(row as Fields, path, schema);
    return row;
  };
}

/**
 * Removes the null at a path. An object that the document lacks is answered with null in each of its projected fields.
 * So an object that a document may lack counts as missing where all its projected fields are null: a query that projects
 * fields of such an object has to project one that is never null, such as `effect.kind` beside `effect.json`.
 */
function omitNull(row: Fields, [name = '', ...rest]: readonly string[], schema: Schema): void {
  const value = row[name];
  if (value !== null && !(rest.length && isObject(value))) return;
  const { options, schema: inner } = schema.path(name) ?? {};
  if (!options) return;
  if (value === null) {
    // A field with the default null (`field.nullable`) may store null; a document lacks any other field that is null.
    if (options.default === undefined) delete row[name];
  } else if (isAllNull(value)) delete row[name];
  else if (inner) omitNull(value, rest, inner);
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isAllNull(fields: Fields): boolean {
  const values = Object.values(fields);
  return (
    values.length > 0 &&
    values.every((value) => value === null || (isObject(value) && isAllNull(value)))
  );
}
