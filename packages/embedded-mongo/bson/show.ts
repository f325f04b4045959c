import { isNumeric, toDouble } from './numbers.ts';
import { ObjectId, typeName, type Value } from './values.ts';

/** Formats a value for error messages, similar to the shell's notation. */
export function show(value: Value | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean') return String(value);
  if (isNumeric(value)) return String(toDouble(value));
  if (value instanceof Map) return showDocument(value);
  if (Array.isArray(value)) return value.length ? `[ ${value.map(show).join(', ')} ]` : '[]';
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof ObjectId) return `ObjectId('${value.bytes.toString('hex')}')`;
  return `<${typeName(value)}>`;
}

export const showDocument = (document: ReadonlyMap<string, Value | undefined>): string =>
  document.size === 0
    ? '{}'
    : `{ ${[...document].map(([name, value]) => `${name}: ${show(value)}`).join(', ')} }`;
