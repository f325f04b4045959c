/** What a flow gets of an HTTP answer. Pure: the host sends, calls this and journals the result. */
import type { Json } from '../../plan.ts';
import { MAX_DEPTH } from '../../sandbox/limits.ts';
import type { HttpEffect } from '../effect.ts';
import { checkSize } from '../limits.ts';
import { flowError } from '../problem.ts';
import { maskedHeaders } from './masked-headers.ts';

const LONGEST_PLACE = 500;

/** JSON's own types (RFC 8259; `text/json` is an old one) and all that say so by `+json` (RFC 6839). */
const JSON_TYPE = /^\s*(?:(?:application|text)\/json|[^\s/;]+\/[^\s/;]+\+json)\s*$/i;

export interface HttpResponse {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: Uint8Array;
}

/**
 * The value of the call, shaped as its `output` says: stored and shown, so that it has neither headers
 * nor the query of the request, and no secret header of the answer. Throws `HTTP_STATUS` with the status
 * answered for any that isn't 2xx, `CONNECTION_FAILED` for a body that isn't the JSON that its
 * type promises, in all three shapes, and `OUTPUT_TOO_LARGE` for what a journal doesn't take.
 */
export function httpOutput(effect: HttpEffect, response: HttpResponse): Json {
  const { status, headers, body } = response;
  if (status < 200 || status > 299) {
    const detail = `${effect.method} ${placeOf(effect.url)} answered ${status}`;
    throw flowError('communication', 'HTTP_STATUS', detail, status);
  }
  const output = shaped(effect, response, contentOf(headers['content-type'] ?? '', body));
  checkSize(output);
  return output;
}

function shaped(effect: HttpEffect, { status, headers, body }: HttpResponse, content: Json): Json {
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

/** JSON as its value, other types as text, nothing as null. */
function contentOf(contentType: string, body: Uint8Array): Json {
  if (body.length === 0) return null;
  const [type = ''] = contentType.split(';');
  if (!JSON_TYPE.test(type)) return decoder(contentType).decode(body);
  try {
    return checked(JSON.parse(utf8.decode(body)), 0);
  } catch (thrown) {
    const detail = `the body is no usable JSON: ${reasonOf(thrown)}`;
    throw flowError('communication', 'CONNECTION_FAILED', detail);
  }
}

/** The parser's own message quotes the body, which may repeat a secret of the request. */
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

/** Refuses what can't be stored and read back the same. */
function checked(value: Json, depth: number): Json {
  if (typeof value === 'string' && !value.isWellFormed()) throw new Error('half a surrogate pair');
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error('a number out of range');
  if (value === null || typeof value !== 'object') return value;
  if (depth >= MAX_DEPTH) throw new Error(`nested more than ${MAX_DEPTH} levels`);
  for (const [key, member] of Object.entries(value)) {
    checked(key, depth);
    checked(member, depth + 1);
  }
  return value;
}

/** A query may hold keys, under any name. */
const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? '';

/** No longer than a sentence takes: an address may have half a megabyte. */
function placeOf(url: string): string {
  const place = withoutQuery(url);
  return place.length > LONGEST_PLACE ? `${place.slice(0, LONGEST_PLACE)}…` : place;
}
