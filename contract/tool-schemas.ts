import type { z } from 'zod';
import { type ActionContract, paramsOf } from './contract.ts';
import { type JsonSchema, Schemas } from './json-schemas.ts';

const DEFINITIONS = '#/$defs/';

/** The schema of a tool's arguments: the parameters of the action but those of headers, which only HTTP has. */
export function inputSchemaOf({ header: _, ...contract }: ActionContract): JsonSchema {
  const schemas = new Schemas(DEFINITIONS);
  return withDefinitions(schemas.of(paramsOf(contract), 'input'), schemas.components);
}

/** The field of the answer for a result that is no object with fields of its own: a text, or a map. */
type Wrapper = 'text' | 'value';

/** The kinds of types whose values are objects with fields of their own. A union is one of such types. */
const OBJECTS: ReadonlySet<string> = new Set(['object', 'union']);

function wrapperOf({ type }: z.ZodType): Wrapper | null {
  if (OBJECTS.has(type)) return null;
  return type === 'string' ? 'text' : 'value';
}

/** The object that a tool answers for the result of its action; null for an empty answer. */
export function structuredResult(
  { result: type }: Pick<ActionContract, 'result'>,
  result: unknown,
): Record<string, unknown> | null {
  if (type === null) return null;
  const wrapper = wrapperOf(type);
  return wrapper ? { [wrapper]: result } : (result as Record<string, unknown>);
}

/** The field that says what was left out of an answer. No result has a field of this name. */
export const TRUNCATION_FIELD = 'answerTruncated';

const TRUNCATION: JsonSchema = {
  type: 'string',
  description: 'What was left out of an answer that is too long for a model, and how to get it',
};

/** The schema of the object that a tool answers; null for an empty answer. Later versions may add fields. */
export function outputSchemaOf({ result }: ActionContract): JsonSchema | null {
  if (result === null) return null;
  const schemas = new Schemas(DEFINITIONS);
  const schema = schemas.of(result, 'output');
  const wrapper = wrapperOf(result);
  const root = wrapper
    ? { properties: { [wrapper]: schema }, required: [wrapper] }
    : resolve(schema, schemas.components);
  const properties = { ...(root.properties as JsonSchema), [TRUNCATION_FIELD]: TRUNCATION };
  return openToFields(withDefinitions({ ...root, type: 'object', properties }, schemas.components));
}

/** The definition that a reference names. A client needs `type: object` at the root of a schema. */
function resolve(
  schema: JsonSchema,
  definitions: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const [name] = referencesIn(schema);
  return (schema.$ref === undefined ? undefined : definitions[name ?? '']) ?? schema;
}

/** Adds the definitions to which the schema refers, also by other definitions, and leaves out what a format says already. */
function withDefinitions(
  root: JsonSchema,
  definitions: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const used = new Set<string>();
  const follow = (schema: JsonSchema): void => {
    for (const name of referencesIn(schema)) {
      if (used.has(name)) continue;
      used.add(name);
      follow(definitions[name] ?? {});
    }
  };
  follow(root);
  if (used.size === 0) return portable(root);
  const $defs = Object.fromEntries([...used].sort().map((name) => [name, definitions[name]]));
  return portable({ ...root, $defs });
}

const portable = (schema: JsonSchema): JsonSchema => withSingleTypes(withoutPatterns(schema));

const referencesIn = (schema: JsonSchema): string[] =>
  [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)].map(([, name = '']) => name);

/** Leaves out the pattern of a format that JSON Schema names: a long regular expression tells a model nothing more. */
const withoutPatterns = (schema: JsonSchema): JsonSchema =>
  mapSchemas(schema, ({ pattern, ...rest }) =>
    typeof pattern === 'string' && typeof rest.format === 'string' ? rest : { ...rest, pattern },
  );

/** Names each of several types in a schema of its own: some clients know schemas with one type only. */
const withSingleTypes = (schema: JsonSchema): JsonSchema =>
  mapSchemas(schema, ({ type, ...rest }) =>
    Array.isArray(type) && rest.anyOf === undefined
      ? { ...rest, anyOf: type.map((one) => ({ type: one as unknown })) }
      : { ...(type === undefined ? {} : { type }), ...rest },
  );

/** Leaves out that an object has no further fields. */
const openToFields = (schema: JsonSchema): JsonSchema =>
  mapSchemas(schema, ({ additionalProperties, ...rest }) =>
    additionalProperties === undefined || additionalProperties === false
      ? rest
      : { ...rest, additionalProperties },
  );

/** Copies a schema with each object in it replaced. */
const mapSchemas = (schema: JsonSchema, replace: (part: JsonSchema) => JsonSchema): JsonSchema =>
  JSON.parse(
    JSON.stringify(schema, (_, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? replace(part as JsonSchema)
        : part,
    ),
  ) as JsonSchema;
