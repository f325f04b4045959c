/** Reads the body of an answer. */
import { parseDataJson } from '../../data-json.ts';
import type { Json } from '../../plan.ts';
import { MAX_DEPTH } from '../../sandbox/limits.ts';
import { flowError } from '../problem.ts';

/** Matches `application/json` (RFC 8259), the older `text/json`, and every media type that ends in `+json` (RFC 6839). */
const JSON_TYPE = /^\s*(?:(?:application|text)\/json|[^\s/;]+\/[^\s/;]+\+json)\s*$/i;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a JSON body as its value, a body of another type as text, and an empty body as null. */
export function contentOf(contentType: string, body: Uint8Array): Json {
  if (body.length === 0) return null;
  const [type = ''] = contentType.split(';');
  if (!JSON_TYPE.test(type)) return textOf(contentType, body);
  try {
    return checkStorable(parseDataJson(utf8.decode(body)) as Json, 0);
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

/** Decodes a body by the charset of its type; by UTF-8 without a known charset. */
export const textOf = (contentType: string, body: Uint8Array): string =>
  decoder(contentType).decode(body);

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
  if (typeof value === 'string') checkText(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth >= MAX_DEPTH) throw new Error(`nested more than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    for (const element of value) checkStorable(element, depth + 1);
    return value;
  }
  // `Object.entries` would make a list for each of maybe 100,000 maps.
  for (const key in value) {
    checkText(key);
    checkStorable(value[key] ?? null, depth + 1);
  }
  return value;
}

function checkText(text: string): void {
  if (!text.isWellFormed()) throw new Error('half a surrogate pair');
}
