import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

const DEFINITIONS = '#/$defs/';

/** Turns types of contracts into JSON Schema 2020-12, the schema language of OpenAPI 3.1 and of tools. */
export class Schemas {
  /** The schemas of named types, to which the others refer. */
  readonly components: Record<string, JsonSchema> = {};
  readonly #place: string;

  /** @param place the JSON pointer under which the document has the components */
  constructor(place: string) {
    this.#place = place;
  }

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
    if (name === undefined) return this.#toComponent(schema);
    this.#add(name, schema);
    return { $ref: this.#place + name };
  }

  #add(name: string, definition: JsonSchema): void {
    const schema = this.#toComponent(definition);
    const known = this.components[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two different types are called ${name}`);
    }
    this.components[name] = schema;
  }

  /** Copies a schema: references point to the components, and zod's annotations are left out. */
  #toComponent(schema: JsonSchema): JsonSchema {
    const copy = JSON.stringify(schema, (key, value: unknown) => {
      if (key === '$ref' && typeof value === 'string') {
        return value.replace(DEFINITIONS, this.#place);
      }
      return (key === 'id' && typeof value === 'string') || key === 'override' ? undefined : value;
    });
    return JSON.parse(copy) as JsonSchema;
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
