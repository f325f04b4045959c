import { StoredDocument } from './stored.ts';
import { BinData, isDocument, type Value } from './values.ts';

/** Bytes of a scalar, or of a document's or an array's own. */
const SCALAR_BYTES = 16;

/** Returns about the number of bytes that a value takes in memory. */
export function approximateSize(value: Value | undefined): number {
  if (typeof value === 'string') return SCALAR_BYTES + value.length;
  if (value instanceof BinData) return SCALAR_BYTES + value.bytes.length;
  if (value instanceof StoredDocument) return SCALAR_BYTES + value.end - value.start;
  let bytes = SCALAR_BYTES;
  if (Array.isArray(value)) for (const element of value) bytes += approximateSize(element);
  else if (isDocument(value))
    for (const [name, field] of value) bytes += name.length + approximateSize(field);
  return bytes;
}
