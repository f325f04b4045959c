import { isMarkedInteger, writeIntegers } from '../../data-json.ts';
import type { Json } from '../../plan.ts';
import type { Value } from '../host.ts';
import { headersOf } from './headers.ts';
import { pairsOf } from './uri.ts';

export interface RequestContent {
  /** The values of the headers by lower-case name. */
  headers: Record<string, string>;
  /** Text to send as UTF-8; null for no body. */
  body: string | null;
}

/**
 * Makes headers and body of a request. A string body is sent unchanged, an object as a form for
 * `application/x-www-form-urlencoded`, and every other body as JSON. Without the header `content-type` a string is
 * `text/plain` and every other body JSON. `keyHeader` is the header `Idempotency-Key` that the file gives, if any.
 */
export function requestContent(
  headers: Value,
  body: Value,
  keyHeader: Record<string, string>,
): RequestContent {
  const names = { ...headersOf(headers), ...keyHeader };
  if (body === undefined) return { headers: names, body: null };
  names['content-type'] ??= isText(body) ? 'text/plain; charset=utf-8' : 'application/json';
  return { headers: names, body: textOf(body, names['content-type']) };
}

function textOf(body: Json, contentType: string): string {
  if (isText(body)) return body;
  const json = JSON.stringify(body);
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType)) return writeIntegers(json);
  const values = JSON.parse(json.replaceAll('"\\ud800', '"')); // a form has all values as text
  return pairsOf(values, 'form')
    .map((pair) => pair.join('='))
    .join('&');
}

const isText = (body: Json): body is string => typeof body === 'string' && !isMarkedInteger(body);
