/** Checks a value against a JSON Schema 2020-12, without generating code. */
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import type { Json } from '../../plan.ts';
import type { Verdict } from '../protocol.ts';

const MOST_ERRORS = 50;

/**
 * A schema that can't be used refuses every value. Throws a `RangeError` where the value is too deep for
 * the stack with all that the schema asks of each of its levels: that is a cost, and no verdict.
 */
export function validate(schema: Json, value: Json): Verdict {
  try {
    const result = new Validator(usable(schema), '2020-12', false).validate(value);
    if (result.valid) return { valid: true };
    return { valid: false, errors: causes(result.errors).map(shown) };
  } catch (thrown) {
    if (thrown instanceof RangeError) throw thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return {
      valid: false,
      errors: [{ path: '', message: `the schema can't be used: ${message}` }],
    };
  }
}

/** The library takes anything for a schema; it types boolean ones out, but knows them. */
function usable(schema: Json): Schema {
  if (typeof schema === 'boolean') return schema as unknown as Schema;
  if (schema !== null && typeof schema === 'object' && !Array.isArray(schema)) return schema;
  throw new Error('a schema is an object or a boolean');
}

/** Without the errors that only say that another one lies below them. */
function causes(errors: readonly OutputUnit[]): readonly OutputUnit[] {
  const first = errors.slice(0, 4 * MOST_ERRORS);
  return first
    .filter((error) => !first.some((other) => isBelow(other, error)))
    .slice(0, MOST_ERRORS);
}

function isBelow(other: OutputUnit, error: OutputUnit): boolean {
  return (
    other.keywordLocation.startsWith(`${error.keywordLocation}/`) &&
    other.instanceLocation.startsWith(error.instanceLocation)
  );
}

/** `path` is a JSON pointer into the value; the library has it as the fragment of a URI. */
function shown(error: OutputUnit): { path: string; message: string } {
  return {
    path: decodeURIComponent(error.instanceLocation.replace(/^#/, '')),
    message: error.error,
  };
}
