import { Decimal128 } from 'bson';
import { MongoError } from '../errors.ts';
import { decodeDate } from './dates.ts';
import { asciiName } from './field-names.ts';
import { FIXED_SIZES } from './fixed-sizes.ts';
import {
  BinData,
  Deprecated,
  type Document,
  Double,
  MAX_KEY,
  MIN_KEY,
  ObjectId,
  Regex,
  Timestamp,
  TYPE,
  UNDEFINED,
  type Value,
} from './values.ts';

/** Levels of documents and arrays in a received document, MongoDB's BSONDepth. A deeper document is refused. */
const MAX_DEPTH = 200;

/** Decodes one document. Throws InvalidBSON for bytes that are not exactly one document. */
export function decodeDocument(bytes: Buffer, start = 0, end = bytes.length): Document {
  const reader = new Reader(bytes, start, end);
  const document = reader.document(0);
  if (reader.at !== end) invalid('bytes after the end of the document');
  return document;
}

const invalid = (what: string): never => {
  throw new MongoError('InvalidBSON', `Invalid BSON: ${what}`);
};

/** Reads a document from the reader's position. */
type ReadDocument = (reader: Reader, depth: number) => Document;

const wholeDocument: ReadDocument = (reader, depth) => reader.document(depth);

/** Takes an element: its name, its type, and the offsets of its start, of its value and of its end. */
type VisitElement = (name: string, type: number, start: number, at: number, end: number) => void;

export class Reader {
  readonly bytes: Buffer;
  readonly end: number;
  at: number;
  private readonly readDocument: ReadDocument;

  constructor(bytes: Buffer, at: number, end: number, readDocument = wholeDocument) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    this.readDocument = readDocument;
  }

  /** Visits the elements of a document without decoding their values. */
  elements(depth: number, visit: VisitElement): void {
    const end = this.begin(depth);
    while (this.at < end) {
      const start = this.at;
      const type = this.bytes[this.at++] as number;
      const name = this.name(end);
      const { at } = this;
      this.skip(type, end);
      visit(name, type, start, at, this.at);
    }
    this.finish(end);
  }

  document(depth: number): Document {
    const end = this.begin(depth);
    const document: Document = new Map();
    while (this.at < end) {
      const type = this.bytes[this.at++] as number;
      const name = this.name(end);
      document.set(name, this.value(type, end, depth));
    }
    this.finish(end);
    return document;
  }

  array(depth: number): Value[] {
    const end = this.begin(depth);
    const array: Value[] = [];
    while (this.at < end) {
      const type = this.bytes[this.at++] as number;
      this.skipName(end);
      array.push(this.value(type, end, depth));
    }
    this.finish(end);
    return array;
  }

  /** Checks the length at the start of a document and returns the offset of its closing zero. */
  private begin(depth: number): number {
    if (depth > MAX_DEPTH) {
      throw new MongoError('Overflow', `BSONObj exceeds maximum nested object depth: ${MAX_DEPTH}`);
    }
    if (this.end - this.at < 5) invalid('a document without room for its length');
    const size = this.bytes.readInt32LE(this.at);
    if (size < 5 || size > this.end - this.at) invalid(`a document of length ${size}`);
    const end = this.at + size - 1;
    if (this.bytes[end] !== 0) invalid('a document without its end');
    this.at += 4;
    return end;
  }

  private finish(end: number): void {
    if (this.at !== end) invalid('a value that passes the end of its document');
    this.at = end + 1;
  }

  private skipName(end: number): void {
    const stop = this.bytes.indexOf(0, this.at);
    if (stop < 0 || stop >= end) invalid('a field name without its end');
    this.at = stop + 1;
  }

  /** Reads a zero-terminated string that must end before `end`. */
  private name(end: number): string {
    const { bytes, at } = this;
    let hash = 0;
    let stop = at;
    let wide = 0;
    for (; stop < end; stop++) {
      const byte = bytes[stop] as number;
      if (byte === 0) break;
      hash = (hash * 31 + byte) | 0;
      wide |= byte;
    }
    if (stop >= end) invalid('a field name without its end');
    this.at = stop + 1;
    if (wide > 127) return bytes.toString('utf8', at, stop);
    return asciiName(bytes, at, stop, hash);
  }

  private take(size: number, end: number): number {
    const at = this.at;
    if (size < 0 || size > end - at) invalid('a value that passes the end of its document');
    this.at = at + size;
    return at;
  }

  private string(end: number): string {
    const size = this.bytes.readInt32LE(this.take(4, end));
    if (size < 1) invalid(`a string of length ${size}`);
    const at = this.take(size, end);
    if (this.bytes[at + size - 1] !== 0) invalid('a string without its end');
    return this.bytes.toString('utf8', at, at + size - 1);
  }

  value(type: number, end: number, depth: number): Value {
    const { bytes } = this;
    switch (type) {
      case TYPE.double:
        return new Double(bytes.readDoubleLE(this.take(8, end)));
      case TYPE.string:
        return this.string(end);
      case TYPE.object:
        this.checkNested(end);
        return this.readDocument(this, depth + 1);
      case TYPE.array:
        this.checkNested(end);
        return this.array(depth + 1);
      case TYPE.binData: {
        const size = bytes.readInt32LE(this.take(4, end));
        const subtype = bytes[this.take(1, end)] as number;
        const at = this.take(size, end);
        return new BinData(subtype, bytes.subarray(at, at + size));
      }
      case TYPE.undefined:
        return UNDEFINED;
      case TYPE.objectId: {
        const at = this.take(12, end);
        return new ObjectId(bytes.subarray(at, at + 12));
      }
      case TYPE.bool: {
        const byte = bytes[this.take(1, end)] as number;
        if (byte > 1) invalid(`a boolean of ${byte}`);
        return byte === 1;
      }
      case TYPE.date:
        return decodeDate(bytes, this.take(8, end));
      case TYPE.null:
        return null;
      case TYPE.regex:
        return new Regex(this.name(end), this.name(end));
      case TYPE.int:
        return bytes.readInt32LE(this.take(4, end));
      case TYPE.timestamp:
        return new Timestamp(bytes.readBigUInt64LE(this.take(8, end)));
      case TYPE.long:
        return bytes.readBigInt64LE(this.take(8, end));
      case TYPE.decimal: {
        const at = this.take(16, end);
        return new Decimal128(Uint8Array.prototype.slice.call(bytes, at, at + 16));
      }
      case TYPE.minKey:
        return MIN_KEY;
      case TYPE.maxKey:
        return MAX_KEY;
    }
    return this.deprecated(type, end);
  }

  private checkNested(end: number): void {
    if (this.at + 4 > end || this.bytes.readInt32LE(this.at) > end - this.at) {
      invalid('a document that passes the end of its own');
    }
  }

  /** Skips a value. */
  skip(type: number, end: number): void {
    const size = FIXED_SIZES[type];
    if (size !== undefined) this.take(size, end);
    else if (type === TYPE.string) this.take(this.bytes.readInt32LE(this.take(4, end)), end);
    else if (type === TYPE.object || type === TYPE.array) {
      this.checkNested(end);
      this.take(this.bytes.readInt32LE(this.at), end);
    } else this.value(type, end, 0);
  }

  private deprecated(type: number, end: number): Deprecated {
    const at = this.at;
    if (type === TYPE.javascript || type === TYPE.symbol || type === TYPE.dbPointer) {
      this.string(end);
      if (type === TYPE.dbPointer) this.take(12, end);
    } else if (type === TYPE.javascriptWithScope) {
      const size = this.bytes.readInt32LE(this.take(4, end));
      this.take(size - 4, end);
    } else invalid(`type ${type}`);
    return new Deprecated(type, this.bytes.subarray(at, this.at));
  }
}
