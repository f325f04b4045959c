/** Reads the body of an answer. */
import { isUtf8 } from 'node:buffer';
import { parseDataJson } from '../../data-json.ts';
import type { Json } from '../../plan.ts';
import { MAX_DEPTH } from '../../sandbox/limits.ts';
import { flowError } from '../problem.ts';
import { type Mask, NO_MASK } from './mask.ts';

/** Matches `application/json` (RFC 8259), the older `text/json`, and every media type that ends in `+json` (RFC 6839). */
const JSON_TYPE = /^(?:(?:application|text)\/json|[^\s/;]+\/[^\s/;]+\+json)$/;

/** Media types whose bodies are never text. */
const BINARY_TYPE =
  /^(?:(?:image|audio|video|font|model)\/(?!.*\+xml$).*|application\/(?:octet-stream|pdf|zip|gzip))$/;

/**
 * Reads a JSON body as its value, an empty body as null, a binary body as `{base64, type, size}` and every other body as
 * text. JSON is data (`parseDataJson`). A lone surrogate and NUL, which are never stored, become U+FFFD.
 */
export function contentOf(contentType: string, body: Uint8Array, mask: Mask = NO_MASK): Json {
  if (body.length === 0) return null;
  const type = typeOf(contentType);
  if (!JSON_TYPE.test(type)) {
    return isBinary(type, contentType, body)
      ? { base64: base64Of(contentType, body, mask), type, size: body.length }
      : storableText(textOf(contentType, body));
  }
  try {
    const text = decoder(contentType, body, { fatal: true }).decode(body);
    return parseAnswer(text);
  } catch (thrown) {
    const detail = `the body is no usable JSON: ${reasonOf(thrown)}`;
    throw flowError('communication', 'CONNECTION_FAILED', detail);
  }
}

/**
 * Parses the JSON of an answer, as data whose strings can be stored. Throws a `SyntaxError` for a text that is not JSON, and
 * an `Error` for a value that is too deep.
 */
export const parseAnswer = (text: string): Json => storable(parseDataJson(text) as Json, 0);

const typeOf = (contentType: string): string =>
  (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();

/** Whether a body is no text: by its type, or, where the type may be either, because it is no UTF-8 or has NUL. */
function isBinary(type: string, contentType: string, body: Uint8Array): boolean {
  if (charsetOf(contentType) !== undefined || type.startsWith('text/')) return false;
  return BINARY_TYPE.test(type) || body.includes(0) || !isUtf8(body);
}

/** Encodes a body. Of a body with a secret, the masked text is encoded, because a mask in base64 is no valid base64. */
export function base64Of(contentType: string, body: Uint8Array, mask: Mask): string {
  const text = textOf(contentType, body);
  const masked = mask.maskText(text);
  return Buffer.from(masked === text ? body : masked).toString('base64');
}

/** Returns a message without the body, which the parser's own message quotes: it may repeat a secret of the request. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  if (!(thrown instanceof SyntaxError)) return thrown.message;
  return `it is broken ${/at position \d+/.exec(thrown.message)?.[0] ?? 'at its end'}`;
}

/** Decodes a body by the charset of its type; by UTF-8 without a known charset. */
export const textOf = (contentType: string, body: Uint8Array): string =>
  decoder(contentType, body).decode(body);

const charsetOf = (contentType: string): string | undefined =>
  /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1];

function decoder(contentType: string, body: Uint8Array, options: { fatal?: boolean } = {}) {
  const charset = charsetOf(contentType) ?? 'utf-8';
  try {
    const isBigEndian = /^utf-?16$/i.test(charset) && body[0] === 0xfe && body[1] === 0xff;
    return new TextDecoder(isBigEndian ? 'utf-16be' : charset, options);
  } catch {
    return new TextDecoder('utf-8', options);
  }
}

/** Replaces in a JSON value what would not be the same after it was stored and read. Throws for a value that is too deep. */
function storable(value: Json, depth: number): Json {
  if (typeof value === 'string') return storableText(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth >= MAX_DEPTH) throw new Error(`nested more than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      value[index] = storable(value[index] ?? null, depth + 1);
    }
    return value;
  }
  // `Object.entries` would make a list for each of maybe 100,000 maps.
  for (const key in value) {
    const member = storable(value[key] ?? null, depth + 1);
    const name = storableText(key);
    if (name !== key) delete value[key];
    if (name !== key || member !== value[key]) value[name] = member;
  }
  return value;
}

const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
