import { LIMITS } from './limits.ts';

/** A schema as the validator sees it; `__absolute_ref__` is written by its `dereference`. */
export interface SchemaObject {
  $ref?: unknown;
  __absolute_ref__?: string;
  [keyword: string]: unknown;
}

export const CHAIN_TOO_LONG = `One value would have to meet more than ${LIMITS.schemaChain} schemas, each named or held by the one before.`;
export const CHAIN_ENDLESS = 'This schema leads back to itself for one and the same value.';

const SINGLE = ['not', 'if', 'then', 'else'];
const LISTS = ['allOf', 'anyOf', 'oneOf'];

/** A schema on the way to where it leads, and which of those comes next. */
interface Step {
  schema: SchemaObject;
  leadsTo: readonly SchemaObject[];
  next: number;
  longest: number;
}

/**
 * The first schema from which too many others are met by the same value, or endlessly many. The
 * validator follows them by recursion, so its stack would decide; this doesn't recurse.
 */
export function findChainFault(
  known: Readonly<Record<string, unknown>>,
): { schema: SchemaObject; message: string } | null {
  /** Schemas from each on, itself included; null while that is being counted. */
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
  leadsTo: appliedWith(schema, known),
  next: 0,
  longest: 0,
});

/** The schemas that whatever meets `schema` has to meet as well. */
function appliedWith(
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
