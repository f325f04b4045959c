/** Checks a value against a JSON Schema 2020-12, without generating code. */
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { isLargeInteger } from '../../data-json.ts';
import type { Json } from '../../plan.ts';
import type { Verdict } from '../protocol.ts';

/** Errors that a verdict lists at most. Later errors are left out. */
const MOST_ERRORS = 50;

/**
 * Validates a value. A schema that cannot be used refuses every value. Throws a `RangeError` when the stack is too
 * small for the depth of the value and the schema: the child then answers a fault and no verdict.
 */
export function validate(schema: Json, value: Json): Verdict {
  try {
    const validator = new Validator(checkSchemaType(schema), '2020-12', false);
    const result = validateIntegers(validator, value);
    if (result.valid) return { valid: true };
    return { valid: false, errors: findCauses(result.errors).map(formatError) };
  } catch (thrown) {
    if (thrown instanceof RangeError) throw thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return {
      valid: false,
      errors: [{ path: '', message: `the schema can't be used: ${message}` }],
    };
  }
}

/**
 * Validates a value whose integers beyond ±(2^53−1) are text (`parseDataJson`). Such a text is validated as a number
 * where the schema wants an integer and no text. The value is changed.
 */
function validateIntegers(validator: Validator, value: Json) {
  const root = { value };
  for (;;) {
    const result = validator.validate(root.value);
    const isChanged = result.errors
      .filter(({ keyword, error }) => keyword === 'type' && error.includes('"integer"'))
      .map(({ instanceLocation }) => makeNumber(root, instanceLocation))
      .includes(true);
    if (result.valid || !isChanged) return result;
  }
}

/** Replaces the text of a large integer by the nearest number. `location` is a JSON pointer as a URI fragment. */
function makeNumber(root: { value: Json }, location: string): boolean {
  const keys = location.split('/').slice(1);
  const path = keys.map((key) =>
    decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'),
  );
  const last = path.pop();
  let parent: Record<string, Json> = root;
  for (const key of last === undefined ? [] : ['value', ...path])
    parent = parent[key] as typeof parent;
  const text = parent[last ?? 'value'];
  if (typeof text !== 'string' || !isLargeInteger(text)) return false;
  parent[last ?? 'value'] = Number(text);
  return true;
}

/** Checks that the schema is an object or a boolean. The library takes boolean schemas, but its type excludes them. */
function checkSchemaType(schema: Json): Schema {
  if (typeof schema === 'boolean') return schema as unknown as Schema;
  if (schema !== null && typeof schema === 'object' && !Array.isArray(schema)) return schema;
  throw new Error('a schema is an object or a boolean');
}

/** Leaves out errors that only report another error further down. */
function findCauses(errors: readonly OutputUnit[]): readonly OutputUnit[] {
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

/** Converts an error of the library. `path` is a JSON pointer into the value; the library has it as a URI fragment. */
function formatError(error: OutputUnit): { path: string; message: string } {
  return {
    path: decodeURIComponent(error.instanceLocation.replace(/^#/, '')),
    message: error.error,
  };
}
