import type { HttpEffect } from '../effect.ts';
import type { Value } from '../host.ts';
import { headersOf } from './headers.ts';
import { addressOf, pairsOf } from './uri.ts';

/** The evaluated fields of a `call: http`. */
export interface HttpFields {
  method: string;
  endpoint: Value;
  headers: Value;
  query: Value;
  body: Value;
  output: HttpEffect['output'];
}

/**
 * Makes the request as it is sent. A string body is sent unchanged, an object as a form for
 * `application/x-www-form-urlencoded`, and every other body as JSON.
 */
export function httpRequest({
  method,
  endpoint,
  headers,
  query,
  body,
  output,
}: HttpFields): HttpEffect {
  const url = addressOf(endpoint, query);
  const names = headersOf(headers);
  if (body !== undefined && names['content-type'] === undefined) {
    names['content-type'] =
      typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  }
  const text = body === undefined ? null : bodyOf(body, names['content-type'] ?? '');
  return {
    kind: 'call-http',
    method: method.toUpperCase(),
    url,
    headers: names,
    body: text,
    output,
  };
}

function bodyOf(body: NonNullable<Value> | null, contentType: string): string {
  if (typeof body === 'string') return body;
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    return pairsOf(body, 'form')
      .map((pair) => pair.join('='))
      .join('&');
  }
  return JSON.stringify(body);
}
