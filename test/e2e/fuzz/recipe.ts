import fc from 'fast-check';
import type { DescribedOperation, OpenApi, Parameter } from '../../helpers/openapi.ts';
import {
  brokenJson,
  hostileHeaders,
  hostileName,
  hostileQuery,
  hostileSegment,
  hostileValue,
} from './hostile.ts';
import { SchemaValues } from './schema-values.ts';

/** Who sends a request: the caller of the sample, a person without a part in its workspace, a guest of it, a key, or nobody. */
export const CALLERS = ['owner', 'stranger', 'guest', 'key', 'nobody'] as const;
export type CallerName = (typeof CALLERS)[number];

/** What is done to a request that the document allows. */
export type Mutation =
  | { kind: 'field'; name: string | null; value: unknown }
  | { kind: 'drop'; at: number }
  | { kind: 'raw'; text: string }
  | { kind: 'cut'; at: number }
  | { kind: 'headers'; headers: Record<string, string> }
  | { kind: 'query'; text: string }
  | { kind: 'segment'; at: number; text: string }
  | { kind: 'method'; method: string };

/** A request as data. The values of `sample` places come from a request that is known to work. */
export interface Recipe {
  operation: string;
  caller: CallerName;
  /** The values of the query that the schemas allow. */
  query: Record<string, unknown>;
  /** Which body a request has: that of the sample, a generated one, or the sample's with generated fields. */
  bodyOf: 'sample' | 'schema' | 'both';
  body: unknown;
  mutations: readonly Mutation[];
}

/** Milliseconds for which a request may ask to wait: the fuzz does not wait for runs. */
const MAX_WAIT_MS = 20;

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('field' as const),
      name: fc.oneof(
        { weight: 3, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: hostileName },
      ),
      value: hostileValue,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('drop' as const), at: fc.nat(20) }) },
  { weight: 2, arbitrary: brokenJson.map((text) => ({ kind: 'raw' as const, text })) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), at: fc.nat(60) }) },
  {
    weight: 3,
    arbitrary: hostileHeaders.map((headers) => ({ kind: 'headers' as const, headers })),
  },
  { weight: 3, arbitrary: hostileQuery.map((text) => ({ kind: 'query' as const, text })) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('segment' as const),
      at: fc.nat(3),
      text: hostileSegment,
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('PATCH', 'HEAD', 'OPTIONS', 'PROPFIND', 'DELETE')
      .map((method) => ({ kind: 'method' as const, method })),
  },
);

/** None for a request that the document allows, one for a nearly valid one, and some for a hostile one. */
const mutations = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  { weight: 4, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 1 }) },
  { weight: 2, arbitrary: fc.array(mutation, { minLength: 2, maxLength: 4 }) },
);

/** Recipes of an operation. */
export function recipesOf(api: OpenApi, operation: DescribedOperation): fc.Arbitrary<Recipe> {
  const values = new SchemaValues(api);
  const query = operation.parameters.filter((one) => one.in === 'query');
  const schema = operation.body?.content['application/json']?.schema;
  return fc.record({
    operation: fc.constant(operation.id),
    caller: fc.oneof(
      { weight: 5, arbitrary: fc.constant('owner' as const) },
      { weight: 4, arbitrary: fc.constantFrom(...CALLERS) },
    ),
    query: queryOf(query, values),
    bodyOf: fc.constantFrom('sample' as const, 'schema' as const, 'both' as const),
    body: schema ? values.of(schema) : fc.constant(undefined),
    mutations,
  });
}

function queryOf(
  parameters: readonly Parameter[],
  values: SchemaValues,
): fc.Arbitrary<Record<string, unknown>> {
  const optional = parameters.filter(({ name, required }) => !required && !/Id$/.test(name));
  const shape = Object.fromEntries(
    optional.map(({ name, schema, description = '' }) => [
      name,
      name === 'wait'
        ? fc.integer({ min: 0, max: MAX_WAIT_MS })
        : /only[,;]/.test(description) || name === 'after'
          ? fc.constant(undefined)
          : fc.option(values.of(schema), { nil: undefined }),
    ]),
  );
  return fc.record(shape);
}
