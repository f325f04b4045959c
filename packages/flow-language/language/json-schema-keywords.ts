/** The rule for the value of a keyword, after the meta-schema of JSON Schema 2020-12. */
export type KeywordRule =
  | 'schema'
  | 'schema-list'
  | 'schema-map'
  | 'string'
  | 'boolean'
  | 'number'
  | 'positive'
  | 'count'
  | 'names'
  | 'name-map'
  | 'list'
  | 'any'
  | 'types'
  | 'pattern'
  | 'pattern-map'
  | 'reference'
  | 'id'
  | 'anchor'
  | 'dialect'
  | 'vocabulary'
  | 'unsupported';

export const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

const KEYWORDS_BY_RULE: Readonly<Record<KeywordRule, string>> = {
  schema: `items contains additionalProperties propertyNames unevaluatedItems
    unevaluatedProperties not if then else contentSchema`,
  'schema-list': 'prefixItems allOf anyOf oneOf',
  'schema-map': '$defs definitions properties dependentSchemas',
  string: '$comment title description format contentEncoding contentMediaType',
  boolean: 'uniqueItems deprecated readOnly writeOnly',
  number: 'maximum minimum exclusiveMaximum exclusiveMinimum',
  positive: 'multipleOf',
  count: `maxLength minLength maxItems minItems maxContains minContains maxProperties
    minProperties`,
  names: 'required',
  'name-map': 'dependentRequired',
  list: 'enum examples',
  any: 'const default',
  types: 'type',
  pattern: 'pattern',
  'pattern-map': 'patternProperties',
  reference: '$ref',
  id: '$id',
  anchor: '$anchor',
  dialect: '$schema',
  vocabulary: '$vocabulary',
  // The validator ignores the first two keywords. It still follows the others, which only earlier versions of JSON
  // Schema have.
  unsupported: '$dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor id dependencies',
};

/** The rule of each keyword. Unknown keywords are annotations, which JSON Schema allows. */
export const KEYWORDS: ReadonlyMap<string, KeywordRule> = new Map(
  Object.entries(KEYWORDS_BY_RULE).flatMap(([rule, names]) =>
    names.split(/\s+/).map((name) => [name, rule as KeywordRule] as const),
  ),
);
