import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

const DEFINITIONS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';

/** Turns types of contracts into JSON Schema 2020-12, the schema language of OpenAPI 3.1. */
export class Schemas {
  /** The schemas of named types, for `components.schemas`. */
  readonly components: Record<string, JsonSchema> = {};

  of(type: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $schema, $defs, ...schema } = z.toJSONSchema(type, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const meta = z.globalRegistry.get(zodSchema) as Overridden | undefined;
        if (meta?.override) replace(jsonSchema as JsonSchema, meta.override);
      },
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, definition] of Object.entries($defs ?? {})) this.#add(name, definition);
    const name = typeof schema.id === 'string' ? schema.id : undefined;
    if (name === undefined) return toComponent(schema);
    this.#add(name, schema);
    return { $ref: COMPONENTS + name };
  }

  #add(name: string, definition: JsonSchema): void {
    const schema = toComponent(definition);
    const known = this.components[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two different types are called ${name}`);
    }
    this.components[name] = schema;
  }
}

interface Overridden {
  override?: JsonSchema;
}

function replace(schema: JsonSchema, by: JsonSchema): void {
  const { default: fallback, description } = schema;
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(schema, by);
  if (fallback !== undefined) schema.default = fallback;
  if (description !== undefined) schema.description = description;
}

/** Copies a schema: references point into `components.schemas`, and zod's annotations are left out. */
function toComponent(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === '$ref' && typeof value === 'string')
        return value.replace(DEFINITIONS, COMPONENTS);
      return (key === 'id' && typeof value === 'string') || key === 'override' ? undefined : value;
    }),
  ) as JsonSchema;
}
