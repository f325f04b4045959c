import { fail } from '../errors.ts';

/** Bytes of the buffer at its beginning and after a large key. */
const SMALL_BYTES = 4096;
/** Bytes that a key may have, as in MongoDB. Values that share a value may have longer keys. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The shared buffer in which keys are written, which is faster than a buffer for each key: `begin`, write, `finish`. No
 * other key may be begun in between.
 */
let buffer = Buffer.allocUnsafe(SMALL_BYTES);
let at = 0;

export function begin(): void {
  at = 0;
}

/** Returns the written bytes in a new buffer. */
export const finish = (): Buffer => Buffer.from(buffer.subarray(0, at));

/** Returns the offset of the next byte, for `invert`. */
export const position = (): number => at;

function room(size: number): void {
  if (at + size <= buffer.length) return;
  if (at + size > MAX_BYTES) {
    buffer = Buffer.allocUnsafe(SMALL_BYTES);
    fail(13548, `BufBuilder attempted to grow() to ${at + size} bytes, past the 64MB limit.`);
  }
  const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + size));
  buffer.copy(larger, 0, 0, at);
  buffer = larger;
}

export function put(byte: number): void {
  room(1);
  buffer[at++] = byte;
}

/** Inverts the bytes written since `start`, which reverses their order. */
export function invert(start: number): void {
  for (let i = start; i < at; i++) buffer[i] = 255 - (buffer[i] as number);
}

export function raw(bytes: Uint8Array): void {
  room(bytes.length);
  buffer.set(bytes, at);
  at += bytes.length;
}

/** Writes bytes of any length. A 0 is written as 0 255, so that 0 0 marks the end. */
export function escaped(bytes: Uint8Array): void {
  room(bytes.length * 2);
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    buffer[at++] = byte;
    if (byte === 0) buffer[at++] = 255;
  }
}

export function terminated(bytes: Uint8Array): void {
  escaped(bytes);
  put(0);
  put(0);
}

/** Writes a string in UTF-8. ASCII is written byte by byte, which is faster than the call. */
export function text(value: string): void {
  const { length } = value;
  room(length + 2);
  const start = at;
  for (let i = 0; i < length; i++) {
    const code = value.charCodeAt(i);
    if (code > 127 || code === 0) {
      at = start;
      terminated(Buffer.from(value));
      return;
    }
    buffer[at++] = code;
  }
  buffer[at++] = 0;
  buffer[at++] = 0;
}

export function double(n: number): void {
  room(8);
  buffer.writeDoubleBE(n, at);
  at += 8;
}

export function uint64(n: bigint): void {
  room(8);
  buffer.writeBigUInt64BE(n, at);
  at += 8;
}

export function uint32(n: number): void {
  room(4);
  buffer.writeUInt32BE(n, at);
  at += 4;
}
