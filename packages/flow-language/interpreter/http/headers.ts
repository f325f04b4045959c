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

/** Characters of a header's name that an error message shows. The rest is cut. */
const LONGEST_NAME = 100;
const showName = (name: string): string =>
  JSON.stringify(name.slice(0, LONGEST_NAME).toWellFormed());

function refuse(detail: string) {
  return flowError('expression', 'EXPRESSION_FAILED', detail);
}
