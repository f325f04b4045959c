import { encodeDocument } from '../bson/encode.ts';
import { type Document, Double, toDocument } from '../bson/values.ts';
import type { CursorReply } from '../sessions/cursors.ts';

const OK = encodeDocument(toDocument({ ok: new Double(1) })).subarray(4, -1);
const ZERO = Buffer.alloc(1);
const CURSOR = Buffer.from('\x03cursor\0');
const indexes: Buffer[] = [];

/** Returns the bytes before the i-th document of an array: its type and its name. */
function elementHead(i: number): Buffer {
  indexes[i] ??= Buffer.from(`\x03${i}\0`, 'latin1');
  return indexes[i] as Buffer;
}

function sized(parts: Buffer[]): Buffer[] {
  const size = Buffer.allocUnsafe(4);
  size.writeInt32LE(parts.reduce((sum, { length }) => sum + length, 5));
  return [size, ...parts, ZERO];
}

/** Encodes {cursor: {firstBatch: [...], id, ns}, ok: 1} around documents as they are stored. */
export function encodeCursorReply(
  { field, batch, id, namespace }: CursorReply,
  writeConcernError?: Document,
): Buffer {
  const elements: Buffer[] = [];
  for (const [i, document] of batch.entries()) elements.push(elementHead(i), document);
  const rest = encodeDocument(toDocument({ id, ns: namespace })).subarray(4, -1);
  const cursor = sized([Buffer.from(`\x04${field}\0`), ...sized(elements), rest]);
  const parts = [CURSOR, ...cursor, OK];
  if (writeConcernError)
    parts.push(encodeDocument(toDocument({ writeConcernError })).subarray(4, -1));
  return Buffer.concat(sized(parts));
}
