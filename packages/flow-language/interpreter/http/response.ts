/** Makes the outputs of calls from their answers. The host sends the requests, calls these functions and journals the outputs. */
import type { Json } from '../../plan.ts';
import type { ApiDescriptionEffect, HttpEffect } from '../effect.ts';
import { checkSize } from '../limits.ts';
import { flowError } from '../problem.ts';
import { base64Of, contentOf } from './content.ts';
import { type Mask, NO_MASK } from './mask.ts';
import { maskedHeaders } from './masked-headers.ts';
import { pairsOf } from './uri.ts';

/** Characters of an address that an error message shows. The rest is cut. */
const LONGEST_PLACE = 500;

export interface HttpResponse {
  status: number;
  /** The values of the headers by lower-case name. */
  headers: Record<string, string>;
  body: Uint8Array;
}

/**
 * Makes the output of a `call: http` in the form that the task's `output` names. The output is stored and shown: it has
 * neither the request's headers and query, nor secret headers of the answer, nor a secret of the mask. Throws
 * `HTTP_STATUS` for a status that is not 2xx, `CONNECTION_FAILED` for a body of a JSON type that is no valid JSON
 * (whatever `output` says), and `OUTPUT_TOO_LARGE`.
 */
export function httpOutput(effect: HttpEffect, response: HttpResponse, mask: Mask = NO_MASK): Json {
  checkStatus(response, () => `${effect.method} ${placeOf(effect.url, mask)}`);
  const output = mask.maskJson(shapeOutput(effect, response, mask));
  checkSize(output);
  return output;
}

/**
 * Makes the output of a `call: apiDescription`: `{status, headers, body}`, with the body's value when the body's type
 * is JSON. Masks and throws as `httpOutput` does.
 */
export function apiDescriptionOutput(
  effect: ApiDescriptionEffect,
  response: HttpResponse,
  mask: Mask = NO_MASK,
): Json {
  checkStatus(response, () => `API description ${effect.apiDescriptionId}`);
  const { status } = response;
  const query = pairsOf(effect.query, 'query').map((pair) => pair.join('='));
  const request = { url: `?${query.join('&')}`, headers: effect.headers };
  const headers = headersWithoutSecrets(response, request, mask);
  const output = mask.maskJson({ status, headers, body: bodyOf(response, mask) });
  checkSize(output);
  return output;
}

function checkStatus({ status }: HttpResponse, describeTarget: () => string): void {
  if (status >= 200 && status <= 299) return;
  const detail = `${describeTarget()} answered ${status}`;
  throw flowError('communication', 'HTTP_STATUS', detail, status);
}

const typeOf = ({ headers }: HttpResponse): string => headers['content-type'] ?? '';

const bodyOf = (response: HttpResponse, mask: Mask): Json =>
  contentOf(typeOf(response), response.body, mask);

function shapeOutput(effect: HttpEffect, response: HttpResponse, mask: Mask): Json {
  const { status } = response;
  const content = bodyOf(response, mask); // also checks the body of an output that does not need its value
  switch (effect.output) {
    case 'content':
      return content;
    case 'raw':
      return base64Of(typeOf(response), response.body, mask);
    case 'response': {
      const request = { method: effect.method, uri: withoutQuery(effect.url) };
      const headers = headersWithoutSecrets(response, effect, mask);
      return { request, statusCode: status, headers, content };
    }
  }
}

/**
 * The headers of an answer without secrets. The mask is applied before the values of the request are masked: such a
 * value may be a part of a secret, and the mask does not find the parts beside it.
 */
function headersWithoutSecrets(
  { headers }: HttpResponse,
  request: Parameters<typeof maskedHeaders>[1],
  mask: Mask,
): Record<string, string> {
  const masked = Object.entries(headers).map(([name, value]) => [name, mask.maskText(value)]);
  return maskedHeaders(Object.fromEntries(masked), request);
}

/** Removes the query, which may contain secrets under any name. */
const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? '';

/** Masks the address and shortens it for a message, because an address may have half a megabyte. */
function placeOf(url: string, mask: Mask): string {
  const place = mask.maskText(withoutQuery(url));
  return place.length > LONGEST_PLACE ? `${place.slice(0, LONGEST_PLACE)}…` : place;
}
