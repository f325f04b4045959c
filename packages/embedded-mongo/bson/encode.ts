import { fail, MongoError } from '../errors.ts';
import { StoredDocument, StoredElement } from './stored.ts';
import {
  BinData,
  Deprecated,
  type Document,
  Double,
  ObjectId,
  Regex,
  Singular,
  Timestamp,
  typeOf,
  type Value,
} from './values.ts';

/** Levels of documents and arrays in a stored document, as in MongoDB. A deeper document is refused. */
const MAX_DEPTH = 200;

/** Bytes that a document may have while it is encoded, as in MongoDB. Values that share a value may encode to more. */
const MAX_BUFFER_BYTES = 64 * 1024 * 1024;

let buffer = Buffer.allocUnsafe(65_536);
let at = 0;

/** Encodes a document into a new buffer. */
export function encodeDocument(document: Document): Buffer {
  at = 0;
  writeDocument(document, 0);
  const bytes = Buffer.from(buffer.subarray(0, at));
  if (buffer.length > 1_048_576) buffer = Buffer.allocUnsafe(65_536);
  return bytes;
}

function room(size: number): void {
  if (at + size <= buffer.length) return;
  if (at + size > MAX_BUFFER_BYTES) refuseGrowth(at + size);
  const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + size));
  buffer.copy(larger, 0, 0, at);
  buffer = larger;
}

/** Throws MongoDB's error of a buffer that is too large. */
function refuseGrowth(size: number): never {
  buffer = Buffer.allocUnsafe(65_536);
  return fail(13548, `BufBuilder attempted to grow() to ${size} bytes, past the 64MB limit.`);
}

function writeDocument(document: Document, depth: number): void {
  // A document that was moved deeper is encoded again, because its levels must be checked at the new depth.
  if (document instanceof StoredDocument && document.depth >= depth) {
    if (document.isUnread) writeRange(document.bytes, document.start, document.end);
    else writeStored(document, depth);
    return;
  }
  const start = begin(depth);
  for (const [name, value] of document) writeElement(name, value, depth);
  finish(start);
}

/** Copies the unchanged elements of a stored document. Adjacent elements are copied together. */
function writeStored(document: StoredDocument, depth: number): void {
  const { bytes } = document;
  const start = begin(depth);
  let from = 0;
  let to = 0;
  for (const [name, value] of document.elements()) {
    if (!(value instanceof StoredElement)) {
      writeRange(bytes, from, to);
      from = to;
      writeElement(name, value, depth);
    } else if (value.start === to) to = value.end;
    else {
      writeRange(bytes, from, to);
      from = value.start;
      to = value.end;
    }
  }
  writeRange(bytes, from, to);
  finish(start);
}

function writeRange(bytes: Buffer, from: number, to: number): void {
  if (from === to) return;
  room(to - from);
  bytes.copy(buffer, at, from, to);
  at += to - from;
}

function writeArray(array: Value[], depth: number): void {
  const start = begin(depth);
  for (let i = 0; i < array.length; i++) writeElement(String(i), array[i] as Value, depth);
  finish(start);
}

function begin(depth: number): number {
  if (depth > MAX_DEPTH) {
    throw new MongoError('Overflow', `Cannot nest deeper than ${MAX_DEPTH} levels`);
  }
  room(4);
  const start = at;
  at += 4;
  return start;
}

function finish(start: number): void {
  room(1);
  buffer[at++] = 0;
  buffer.writeInt32LE(at - start, start);
}

function writeElement(name: string, value: Value, depth: number): void {
  const type = typeOf(value);
  room(2 + name.length * 3);
  buffer[at++] = type;
  writeText(name);
  buffer[at++] = 0;
  writeValue(value, depth);
}

/** Writes a text. Short ASCII is written byte by byte, which is faster than the call; the buffer must have room. */
function writeText(text: string): void {
  const { length } = text;
  if (length < 32) {
    let i = 0;
    for (; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) break;
      buffer[at + i] = code;
    }
    if (i === length) {
      at += length;
      return;
    }
  }
  at += buffer.write(text, at);
}

function writeString(text: string): void {
  room(5 + text.length * 3);
  const start = at;
  at += 4;
  writeText(text);
  buffer[at++] = 0;
  buffer.writeInt32LE(at - start - 4, start);
}

function writeBytes(bytes: Uint8Array): void {
  room(bytes.length);
  buffer.set(bytes, at);
  at += bytes.length;
}

function writeLong(value: bigint): void {
  room(8);
  buffer.writeBigInt64LE(value, at);
  at += 8;
}

function writeDouble(value: number): void {
  room(8);
  buffer.writeDoubleLE(value, at);
  at += 8;
}

function writeInt(value: number): void {
  room(4);
  buffer.writeInt32LE(value, at);
  at += 4;
}

function writeByte(byte: number): void {
  room(1);
  buffer[at++] = byte;
}

function writeBinary({ subtype, bytes }: BinData): void {
  writeInt(bytes.length);
  writeByte(subtype);
  writeBytes(bytes);
}

function writeRegex({ pattern, options }: Regex): void {
  room(pattern.length * 3 + options.length * 3 + 2);
  writeText(pattern);
  buffer[at++] = 0;
  writeText(options);
  buffer[at++] = 0;
}

function writeTimestamp({ value }: Timestamp): void {
  room(8);
  buffer.writeBigUInt64LE(value, at);
  at += 8;
}

function writeValue(value: Value, depth: number): void {
  if (typeof value === 'string') writeString(value);
  else if (typeof value === 'number') writeInt(value);
  else if (value === null || value instanceof Singular) return;
  else if (typeof value === 'boolean') writeByte(value ? 1 : 0);
  else if (typeof value === 'bigint') writeLong(value);
  else if (value instanceof Map) writeDocument(value, depth + 1);
  else if (Array.isArray(value)) writeArray(value, depth + 1);
  else if (value instanceof Double) writeDouble(value.value);
  else if (value instanceof Date) writeDate(value);
  else if (value instanceof ObjectId || value instanceof Deprecated) writeBytes(value.bytes);
  else if (value instanceof BinData) writeBinary(value);
  else if (value instanceof Regex) writeRegex(value);
  else if (value instanceof Timestamp) writeTimestamp(value);
  else writeBytes(value.bytes);
}

function writeDate(date: Date): void {
  const time = date.getTime();
  if (Number.isNaN(time)) fail('Overflow', 'date overflow');
  room(8);
  buffer.writeInt32LE(time | 0, at);
  buffer.writeInt32LE(Math.floor(time / 2 ** 32), at + 4);
  at += 8;
}
