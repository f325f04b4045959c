import type { Value } from '../host.ts';
import { flowError } from '../problem.ts';

/**
 * Headers as texts by lower-case name; null and undefined leave one out. Throws `EXPRESSION_FAILED` for
 * what is no text. Which names and values a header may have is for who sends it.
 */
export function headersOf(headers: Value): Record<string, string> {
  if (headers === undefined || headers === null) return {};
  if (typeof headers !== 'object' || Array.isArray(headers))
    throw refuse('the headers are no object');
  const given = Object.entries(headers).filter(([, value]) => value !== null);
  const texts = given.map(([name, value]): [string, string] => {
    if (typeof value === 'object') throw refuse(`the header ${shown(name)} is no text`);
    return [name.toLowerCase(), String(value).trim()];
  });
  if (new Set(texts.map(([name]) => name)).size < texts.length)
    throw refuse('a header is given twice');
  return Object.fromEntries(texts);
}

const LONGEST_NAME = 100;
const shown = (name: string): string => JSON.stringify(name.slice(0, LONGEST_NAME).toWellFormed());

function refuse(detail: string) {
  return flowError('expression', 'EXPRESSION_FAILED', detail);
}
