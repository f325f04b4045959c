import type { HttpEffect } from '../effect.ts';
import type { Value } from '../host.ts';
import { requestContent } from './body.ts';
import { addressOf } from './uri.ts';

/** The evaluated fields of a `call: http`. */
export interface HttpFields {
  method: string;
  endpoint: Value;
  headers: Value;
  keyHeader: Record<string, string>;
  query: Value;
  body: Value;
  output: HttpEffect['output'];
}

/** Makes the request as it is sent. */
export function httpRequest(fields: HttpFields): HttpEffect {
  const { method, endpoint, query, output } = fields;
  return {
    kind: 'call-http',
    method: method.toUpperCase(),
    url: addressOf(endpoint, query),
    ...requestContent(fields.headers, fields.body, fields.keyHeader),
    output,
  };
}
