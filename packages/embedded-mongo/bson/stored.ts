import { Reader } from './decode.ts';
import { type Document, TYPE, type Value } from './values.ts';

/** An unchanged element of a stored document. Its bytes are `start` to `end`, its value begins at `at`. */
export class StoredElement {
  readonly type: number;
  readonly start: number;
  readonly at: number;
  readonly end: number;
  /** The decoded scalar. A decoded document or array takes the element's place in its document. */
  scalar: Value | undefined;

  constructor(type: number, start: number, at: number, end: number) {
    this.type = type;
    this.start = start;
    this.at = at;
    this.end = end;
  }
}

/**
 * A document that decodes a field when the field is read, and that is encoded by copying its unchanged elements. Its
 * bytes were checked before they were stored. A nested document may have a name twice, as a client sent it; an update
 * that does not read the nested document keeps both.
 */
export class StoredDocument extends Map<string, Value> {
  readonly bytes: Buffer;
  /** The offset of the document's start in `bytes`. */
  readonly start: number;
  /** The offset after the document's end in `bytes`. */
  readonly end: number;
  /** The number of documents and arrays around this document. */
  readonly depth: number;
  private scanned = false;

  constructor(bytes: Buffer, start = 0, end = bytes.length, depth = 0) {
    super();
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.depth = depth;
  }

  /** Whether no field was read or changed yet, so that the bytes are the document. */
  get isUnread(): boolean {
    return !this.scanned;
  }

  override get size(): number {
    this.scan();
    return super.size;
  }

  override get(name: string): Value | undefined {
    this.scan();
    const value = super.get(name) as Value | StoredElement | undefined;
    return value instanceof StoredElement ? this.decode(name, value) : value;
  }

  override has(name: string): boolean {
    this.scan();
    return super.has(name);
  }

  override set(name: string, value: Value): this {
    this.scan();
    return super.set(name, value);
  }

  override delete(name: string): boolean {
    this.scan();
    return super.delete(name);
  }

  override clear(): void {
    this.scanned = true;
    super.clear();
  }

  override keys(): MapIterator<string> {
    this.scan();
    return super.keys();
  }

  override values(): MapIterator<Value> {
    this.decodeAll();
    return super.values();
  }

  override entries(): MapIterator<[string, Value]> {
    this.decodeAll();
    return super.entries();
  }

  override [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  override forEach(visit: (value: Value, name: string, document: Document) => void): void {
    for (const [name, value] of this.entries()) visit(value, name, this);
  }

  /** Returns all fields. An unchanged field is an element of `bytes`. */
  elements(): MapIterator<[string, Value | StoredElement]> {
    this.scan();
    return super.entries();
  }

  /** Copies the document. The copy shares the elements and the decoded values. */
  clone(): StoredDocument {
    const copy = new StoredDocument(this.bytes, this.start, this.end, this.depth);
    copy.scanned = true;
    for (const [name, value] of this.elements()) copy.put(name, value);
    return copy;
  }

  /** Tells whether a field is unchanged: the copy shares its value, or both lack the field. */
  shares(name: string, copy: StoredDocument): boolean {
    return this.element(name) === copy.element(name);
  }

  private element(name: string): Value | StoredElement | undefined {
    this.scan();
    return super.get(name);
  }

  private put(name: string, value: Value | StoredElement): void {
    super.set(name, value as Value);
  }

  private scan(): void {
    if (this.scanned) return;
    this.scanned = true;
    const { bytes, start, depth } = this;
    new Reader(bytes, start, this.end).elements(depth, (name, type, from, at, end) =>
      this.put(name, new StoredElement(type, from, at, end)),
    );
  }

  private decode(name: string, element: StoredElement): Value {
    if (element.scalar !== undefined) return element.scalar;
    const { type, at, end } = element;
    const value = new Reader(this.bytes, at, end, storedDocument).value(type, end, this.depth);
    if (type === TYPE.object || type === TYPE.array) super.set(name, value);
    else element.scalar = value;
    return value;
  }

  private decodeAll(): void {
    for (const [name, value] of this.elements()) {
      if (value instanceof StoredElement) super.set(name, this.decode(name, value));
    }
  }
}

/** Reads a document nested in a stored document. */
function storedDocument(reader: Reader, depth: number): Document {
  const start = reader.at;
  reader.skip(TYPE.object, reader.end);
  return new StoredDocument(reader.bytes, start, reader.at, depth);
}
