import { StoredDocument, StoredElement } from './stored.ts';
import { BinData, isDocument, type Value } from './values.ts';

/** Bytes of a scalar, or of a document or an array without its elements. */
const SCALAR_BYTES = 16;

/** Returns about the number of bytes that a value takes. Nothing is decoded for it. */
export function approximateSize(value: Value | StoredElement | undefined): number {
  if (typeof value === 'string') return SCALAR_BYTES + value.length;
  if (value instanceof BinData) return SCALAR_BYTES + value.bytes.length;
  if (value instanceof StoredElement) return value.end - value.start;
  if (value instanceof StoredDocument && value.isUnread) return value.end - value.start;
  let bytes = SCALAR_BYTES;
  if (Array.isArray(value)) for (const element of value) bytes += approximateSize(element);
  else if (isDocument(value)) {
    const fields = value instanceof StoredDocument ? value.elements() : value;
    for (const [name, field] of fields) bytes += name.length + approximateSize(field);
  }
  return bytes;
}
