import fc from 'fast-check';
import type { JsonSchema, OpenApi } from '../../helpers/openapi.ts';

/** Levels of nested objects and lists in a value; optional parts below are left out. */
const MAX_DEPTH = 5;
/** Characters above the least length of a text, and elements of a list. */
const MAX_EXTRA = 24;
const MAX_ELEMENTS = 3;

const hex = fc.integer({ min: 0, max: 0xffffff }).map((n) => n.toString(16));

/** Texts of the formats that the document names. */
const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: hex.map((text) => `fuzz.${text}@example.com`),
  'idn-hostname': hex.map((text) => `fuzz-${text}.example`),
  password: hex.map((text) => `quiet harbours ${text}`),
  'date-time': fc
    .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  date: fc
    .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  uuid: fc.uuid(),
  uri: hex.map((text) => `https://orders.example.com/${text}`),
};

const anyJson = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }) as fc.Arbitrary<unknown>;

/** Makes values that a schema of the document allows. */
export class SchemaValues {
  readonly #api: OpenApi;
  readonly #known = new Map<JsonSchema, fc.Arbitrary<unknown>>();

  constructor(api: OpenApi) {
    this.#api = api;
  }

  of(given: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
    const schema = this.#api.resolve<JsonSchema>(given);
    const known = depth === 0 ? this.#known.get(schema) : undefined;
    const made = known ?? this.#make(schema, depth);
    if (depth === 0) this.#known.set(schema, made);
    return made;
  }

  #make(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    if ('const' in schema) return fc.constant(schema.const);
    if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
    const options = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
    if (options) return fc.oneof(...options.map((option) => this.of(option, depth + 1)));
    const types = [schema.type ?? []].flat() as string[];
    if (types.length === 0) return anyJson;
    return fc.oneof(...types.map((type) => this.#ofType(type, schema, depth)));
  }

  #ofType(type: string, schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    if (type === 'null') return fc.constant(null);
    if (type === 'boolean') return fc.boolean();
    if (type === 'integer' || type === 'number') return numberOf(type, schema);
    if (type === 'string') return textOf(schema);
    return type === 'array' ? this.#list(schema, depth) : this.#object(schema, depth);
  }

  #list(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const {
      items = {},
      minItems = 0,
      maxItems = MAX_ELEMENTS,
    } = schema as {
      items?: JsonSchema;
      minItems?: number;
      maxItems?: number;
    };
    const most = Math.max(minItems, Math.min(maxItems, depth < MAX_DEPTH ? MAX_ELEMENTS : 0));
    return fc.array(this.of(items, depth + 1), { minLength: minItems, maxLength: most });
  }

  #object(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const {
      properties = {},
      required = [],
      additionalProperties,
    } = schema as {
      properties?: Record<string, JsonSchema>;
      required?: string[];
      additionalProperties?: JsonSchema | boolean;
    };
    const isDeep = depth >= MAX_DEPTH;
    const shown = Object.entries(properties).filter(([name]) => !isDeep || required.includes(name));
    const fixed = fc.record(
      Object.fromEntries(shown.map(([name, of]) => [name, this.of(of, depth + 1)])),
      { requiredKeys: required },
    );
    if (isDeep || additionalProperties === undefined || additionalProperties === false)
      return fixed;
    const values =
      typeof additionalProperties === 'object' ? this.of(additionalProperties, depth + 1) : anyJson;
    return fc
      .tuple(fixed, fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), values, { maxKeys: 3 }))
      .map(([one, other]) => ({ ...other, ...one }));
  }
}

function numberOf(type: string, schema: JsonSchema): fc.Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum } = schema as Record<string, number | undefined>;
  const min = minimum ?? (exclusiveMinimum === undefined ? -1_000_000 : exclusiveMinimum + 1);
  const max = maximum ?? Math.max(min, 1_000_000);
  if (type === 'number') return fc.double({ min, max, noNaN: true });
  return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));
}

function textOf(schema: JsonSchema): fc.Arbitrary<string> {
  const {
    format,
    pattern,
    minLength = 0,
    maxLength,
  } = schema as {
    format?: string;
    pattern?: string;
    minLength?: number;
    maxLength?: number;
  };
  const known = FORMATS[format ?? ''];
  if (known) return known;
  if (pattern !== undefined) return matching(pattern, schema);
  const most = Math.min(maxLength ?? Number.POSITIVE_INFINITY, minLength + MAX_EXTRA);
  return fc.oneof(
    fc.string({ minLength, maxLength: most }),
    fc
      .string({ minLength, maxLength: most, unit: 'grapheme' })
      .filter((text) => text.length <= most),
  );
}

/** Texts that match a pattern; the examples of the schema where its expression has a part that cannot be made. */
function matching(pattern: string, { examples }: JsonSchema): fc.Arbitrary<string> {
  try {
    const made = fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 60 });
    fc.sample(made, 1);
    return made;
  } catch {
    return Array.isArray(examples)
      ? fc.constantFrom(...(examples as string[]))
      : hex.map((text) => `a${text}`);
  }
}
