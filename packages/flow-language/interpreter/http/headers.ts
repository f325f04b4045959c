import type { Value } from '../host.ts';
import { flowError } from '../problem.ts';

/** `token` and `field-value` of RFC 9110, 5.1 and 5.5. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Belong to the connection or to us. */
const OURS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** By lower-case name; null and undefined leave a header out. Throws `EXPRESSION_FAILED`. */
export function headersOf(headers: Value): Record<string, string> {
  if (headers === undefined || headers === null) return {};
  if (typeof headers !== 'object' || Array.isArray(headers))
    throw refuse('the headers are no object');
  const result: Record<string, string> = {};
  for (const [given, value] of Object.entries(headers)) {
    if (value === null) continue;
    if (!NAME.test(given)) throw refuse('a header name holds other signs than names may');
    const name = given.toLowerCase();
    if (OURS.has(name)) throw refuse(`the header ${name} can't be set`);
    if (typeof value === 'object') throw refuse(`the header ${name} is no text`);
    const text = String(value).trim();
    if (!VALUE.test(text)) throw refuse(`the header ${name} holds other signs than headers may`);
    Object.defineProperty(result, name, {
      value: text,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}

function refuse(detail: string) {
  return flowError('expression', 'EXPRESSION_FAILED', detail);
}
