/** Makes the output of an HTTP call from its answer. The host sends the request, calls `httpOutput` and journals the output. */
import type { Json } from '../../plan.ts';
import { MAX_DEPTH } from '../../sandbox/limits.ts';
import type { HttpEffect } from '../effect.ts';
import { checkSize } from '../limits.ts';
import { flowError } from '../problem.ts';
import { maskedHeaders } from './masked-headers.ts';

/** Characters of an address that an error message shows. The rest is cut. */
const LONGEST_PLACE = 500;

/** Matches `application/json` (RFC 8259), the older `text/json`, and every media type that ends in `+json` (RFC 6839). */
const JSON_TYPE = /^\s*(?:(?:application|text)\/json|[^\s/;]+\/[^\s/;]+\+json)\s*$/i;

export interface HttpResponse {
  status: number;
  /** The values of the headers by lower-case name. */
  headers: Record<string, string>;
  body: Uint8Array;
}

/**
 * Makes the call's output in the form that the task's `output` names. The output is stored and shown: it has neither
 * the request's headers and query nor secret headers of the answer. Throws `HTTP_STATUS` for a status that is not
 * 2xx, `CONNECTION_FAILED` for a body of a JSON type that is no valid JSON (whatever `output` says), and
 * `OUTPUT_TOO_LARGE`.
 */
export function httpOutput(effect: HttpEffect, response: HttpResponse): Json {
  const { status, headers, body } = response;
  if (status < 200 || status > 299) {
    const detail = `${effect.method} ${placeOf(effect.url)} answered ${status}`;
    throw flowError('communication', 'HTTP_STATUS', detail, status);
  }
  const output = shapeOutput(effect, response, contentOf(headers['content-type'] ?? '', body));
  checkSize(output);
  return output;
}

function shapeOutput(
  effect: HttpEffect,
  { status, headers, body }: HttpResponse,
  content: Json,
): Json {
  switch (effect.output) {
    case 'content':
      return content;
    case 'raw':
      return Buffer.from(body).toString('base64');
    case 'response': {
      const request = { method: effect.method, uri: withoutQuery(effect.url) };
      return { request, statusCode: status, headers: maskedHeaders(headers, effect), content };
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a JSON body as its value, a body of another type as text, and an empty body as null. */
function contentOf(contentType: string, body: Uint8Array): Json {
  if (body.length === 0) return null;
  const [type = ''] = contentType.split(';');
  if (!JSON_TYPE.test(type)) return decoder(contentType).decode(body);
  try {
    return checkStorable(JSON.parse(utf8.decode(body)), 0);
  } catch (thrown) {
    const detail = `the body is no usable JSON: ${reasonOf(thrown)}`;
    throw flowError('communication', 'CONNECTION_FAILED', detail);
  }
}

/** Returns a message without the body, which the parser's own message quotes: it may repeat a secret of the request. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  if (!(thrown instanceof SyntaxError)) return thrown.message;
  return `it is broken ${/at position \d+/.exec(thrown.message)?.[0] ?? 'at its end'}`;
}

function decoder(contentType: string): { decode(body: Uint8Array): string } {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** Throws when the value would not be the same after it was stored and read. */
function checkStorable(value: Json, depth: number): Json {
  if (typeof value === 'string' && !value.isWellFormed()) throw new Error('half a surrogate pair');
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error('a number out of range');
  if (value === null || typeof value !== 'object') return value;
  if (depth >= MAX_DEPTH) throw new Error(`nested more than ${MAX_DEPTH} levels`);
  for (const [key, member] of Object.entries(value)) {
    checkStorable(key, depth);
    checkStorable(member, depth + 1);
  }
  return value;
}

/** Removes the query, which may contain secrets under any name. */
const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? '';

/** Shortens the address for a message, because an address may have half a megabyte. */
function placeOf(url: string): string {
  const place = withoutQuery(url);
  return place.length > LONGEST_PLACE ? `${place.slice(0, LONGEST_PLACE)}…` : place;
}
