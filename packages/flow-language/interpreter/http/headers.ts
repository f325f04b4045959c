import { IDEMPOTENCY_KEY, isIdempotencyKey } from '../../idempotency-key.ts';
import type { Json, Template } from '../../plan.ts';
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
 * Makes the header `Idempotency-Key` of a call whose file gives one; a number counts as its digits. Throws
 * `EXPRESSION_FAILED` for any other value, and for no value: a key that is missing by mistake must not become another one.
 */
export function keyHeaderOf(given: Template | undefined, value: Value): Record<string, string> {
  if (!given) return {};
  const parts = given.kind === 'text' ? (value as Json[]) : [value];
  const isWhole = given.kind !== 'text' || parts.length === given.parts.length;
  const wrong = parts.find((part) => !isKeyPart(part));
  if (!isWhole || value === undefined) throw wrongKey('a part has no value');
  if (wrong !== undefined) throw wrongKey(`a part is ${describe(wrong)}`);
  const key = parts.join('');
  if (!isIdempotencyKey(key)) throw wrongKey('it is another text');
  return { 'idempotency-key': key };
}

const wrongKey = (what: string) => refuse(`"idempotencyKey" must be ${IDEMPOTENCY_KEY}: ${what}`);

const isKeyPart = (part: Value): boolean =>
  typeof part === 'number' || (typeof part === 'string' && part !== '');

function describe(part: Json): string {
  if (part === '') return 'empty';
  if (Array.isArray(part)) return 'a list';
  return typeof part === 'object' && part !== null ? 'a map' : String(part);
}

/** The template of a key, whose parts are evaluated singly: text without one of them would be another call's key. */
export const keyTemplate = (given: Template | undefined): Template | undefined =>
  given?.kind !== 'text'
    ? given
    : {
        kind: 'list',
        items: given.parts.map((part) =>
          typeof part === 'string'
            ? { kind: 'literal', value: part }
            : { kind: 'expression', expression: part },
        ),
      };

/** Characters of a header's name that an error message shows. The rest is cut. */
const LONGEST_NAME = 100;
const showName = (name: string): string =>
  JSON.stringify(name.slice(0, LONGEST_NAME).toWellFormed());

function refuse(detail: string) {
  return flowError('expression', 'EXPRESSION_FAILED', detail);
}
