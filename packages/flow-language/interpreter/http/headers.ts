import { IDEMPOTENCY_KEY, isIdempotencyKey } from '../../idempotency-key.ts';
import type { Template } from '../../plan.ts';
import type { Value } from '../host.ts';
import { flowError } from '../problem.ts';

/**
 * Converts headers to strings by lower-case name and leaves out headers that are null. Throws `EXPRESSION_FAILED`
 * for a list or a map. The host checks which names and values can be sent.
 */
export function headersOf(headers: Value): Record<string, string> {
  if (headers === undefined || headers === null) return {};
  if (typeof headers !== 'object' || Array.isArray(headers))
    throw refuse('the headers are no object');
  const given = Object.entries(headers).filter(([, value]) => value !== null);
  const texts = given.map(([name, value]): [string, string] => {
    if (typeof value === 'object') throw refuse(`the header ${showName(name)} is no text`);
    return [name.toLowerCase(), String(value).trim()];
  });
  if (new Set(texts.map(([name]) => name)).size < texts.length)
    throw refuse('a header is given twice');
  return Object.fromEntries(texts);
}

/**
 * Makes the `Idempotency-Key` of a call whose file gives one; a number counts as its digits. Throws `EXPRESSION_FAILED` for
 * any other value, and for no value: a key that is missing by mistake must not become another one.
 */
export function ownKeyOf(given: Template | undefined, value: Value): { idempotencyKey?: string } {
  if (!given) return {};
  const key = typeof value === 'number' ? String(value) : value;
  if (isIdempotencyKey(key)) return { idempotencyKey: key };
  const what = key === undefined ? 'no value' : key === null ? 'null' : `a ${typeof key}`;
  throw refuse(`"idempotencyKey" must be ${IDEMPOTENCY_KEY}; it is ${what}`);
}

/** Characters of a header's name that an error message shows. The rest is cut. */
const LONGEST_NAME = 100;
const showName = (name: string): string =>
  JSON.stringify(name.slice(0, LONGEST_NAME).toWellFormed());

function refuse(detail: string) {
  return flowError('expression', 'EXPRESSION_FAILED', detail);
}
