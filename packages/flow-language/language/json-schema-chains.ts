import { LIMITS } from './limits.ts';

/** A schema in the validator's form. The validator's `dereference` writes `__absolute_ref__`. */
export interface SchemaObject {
  $ref?: unknown;
  __absolute_ref__?: string;
  [keyword: string]: unknown;
}

export const CHAIN_TOO_LONG = `One value would have to meet more than ${LIMITS.schemaChain} schemas, each named or held by the one before.`;
export const CHAIN_ENDLESS = 'This schema leads back to itself for one and the same value.';

const SINGLE = ['not', 'if', 'then', 'else'];
const LISTS = ['allOf', 'anyOf', 'oneOf'];

/** One schema of the path of the search. */
interface Step {
  schema: SchemaObject;
  /** The schemas that apply to the same value as `schema`. */
  leadsTo: readonly SchemaObject[];
  /** The index in `leadsTo` of the next schema to visit. */
  next: number;
  /** The longest chain from the visited schemas of `leadsTo`, in schemas. */
  longest: number;
}

/**
 * Finds the first schema from which a chain of schemas for the same value is too long or endless. The validator follows
 * such chains by recursion, which could fill its stack; this search does not recurse.
 */
export function findChainFault(
  known: Readonly<Record<string, unknown>>,
): { schema: SchemaObject; message: string } | null {
  /** The length of the longest chain from each schema, itself included; null while it is being counted. */
  const lengths = new Map<SchemaObject, number | null>();
  for (const start of Object.values(known)) {
    if (!isSchemaObject(start) || lengths.has(start)) continue;
    const path = [stepOf(start, known)];
    lengths.set(start, null);
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const { schema } = step;
      const next = step.leadsTo[step.next++];
      if (!next) {
        const length = 1 + step.longest;
        lengths.set(schema, length);
        path.pop();
        const before = path.at(-1);
        if (before) before.longest = Math.max(before.longest, length);
      } else {
        const length = lengths.get(next);
        if (length === null) return { schema, message: CHAIN_ENDLESS };
        if (length === undefined) {
          path.push(stepOf(next, known));
          lengths.set(next, null);
        }
        step.longest = Math.max(step.longest, length ?? 0);
      }
      if (path.length + (path.at(-1)?.longest ?? 0) > LIMITS.schemaChain) {
        return { schema, message: CHAIN_TOO_LONG };
      }
    }
  }
  return null;
}

const stepOf = (schema: SchemaObject, known: Readonly<Record<string, unknown>>): Step => ({
  schema,
  leadsTo: listAppliedSchemas(schema, known),
  next: 0,
  longest: 0,
});

/** Returns the schemas that apply to the same value as `schema`. */
function listAppliedSchemas(
  schema: SchemaObject,
  known: Readonly<Record<string, unknown>>,
): SchemaObject[] {
  const { dependentSchemas, __absolute_ref__: reference } = schema;
  return [
    reference === undefined ? undefined : known[reference],
    ...SINGLE.map((keyword) => schema[keyword]),
    ...LISTS.flatMap((keyword) => schema[keyword]),
    ...(isSchemaObject(dependentSchemas) ? Object.values(dependentSchemas) : []),
  ].filter(isSchemaObject);
}

function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
