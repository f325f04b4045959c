/** A part of a value that was left out, in words. */
type Cut = string;

/** Cuts that are told of one value. */
const MAX_CUTS = 10;

/** A value of JSON with the words for what was left out of it; none for a whole value. */
export interface FittedValue {
  value: unknown;
  cuts: Cut[];
}

/**
 * Fits a value of JSON into a number of bytes: long texts are cut, lists have their first items, and the fields of an
 * object share the bytes, small fields first. Types stay: a text is still a text, and an object has its fields as long
 * as each has a few bytes.
 */
export function fitValue(value: unknown, bytes: number): FittedValue {
  const cuts: Cut[] = [];
  return { value: shrink(value, bytes, '', cuts), cuts: cuts.slice(0, MAX_CUTS) };
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? 'null');

function shrink(value: unknown, bytes: number, path: string, cuts: Cut[]): unknown {
  if (sizeOf(value) <= bytes) return value;
  if (typeof value === 'string') return shrinkText(value, bytes, path, cuts);
  if (Array.isArray(value)) return shrinkList(value, bytes, path, cuts);
  return typeof value === 'object' && value !== null
    ? shrinkObject(value as Record<string, unknown>, bytes, path, cuts)
    : value;
}

/** Bytes below which a field or an item is left out rather than cut. No number is longer. */
const MIN_PART_BYTES = 32;

/** Bytes of the quotes of a text and of the sign for its missing rest. */
const TEXT_FRAME = 5;

function shrinkText(text: string, bytes: number, path: string, cuts: Cut[]): string {
  let length = text.length;
  let kept = text;
  for (let size = sizeOf(kept); size > bytes && length > 0; size = sizeOf(kept) + TEXT_FRAME) {
    length = Math.min(length - 1, Math.floor((length * Math.max(0, bytes - TEXT_FRAME)) / size));
    kept = text.slice(0, length).toWellFormed();
  }
  cuts.push(`${path || 'the text'} has its first ${length} of ${text.length} characters`);
  return `${kept}…`;
}

function shrinkList(list: readonly unknown[], bytes: number, path: string, cuts: Cut[]): unknown[] {
  const kept: unknown[] = [];
  let left = bytes - 2;
  for (const item of list) {
    left -= sizeOf(item) + 1;
    if (left < 0) break;
    kept.push(item);
  }
  const isCut = kept.length === 0 && bytes - 2 >= MIN_PART_BYTES;
  const first = isCut ? [shrink(list[0], bytes - 2, `${path}[0]`, cuts)] : kept;
  if (first.length < list.length) {
    cuts.push(`${path || 'the list'} has its first ${first.length} of ${list.length} items`);
  }
  return first;
}

function shrinkObject(
  object: Readonly<Record<string, unknown>>,
  bytes: number,
  path: string,
  cuts: Cut[],
): Record<string, unknown> {
  const fields = Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ name, value, frame: sizeOf(name) + 2, size: sizeOf(value) }));
  const kept = fieldsWithin(fields, bytes - 2);
  if (kept.length < fields.length) {
    cuts.push(`${path || 'the object'} has its first ${kept.length} of ${fields.length} fields`);
  }
  const shares = sharesOf(kept, bytes - 2);
  return Object.fromEntries(
    kept.map(({ name, value }) => [
      name,
      shrink(value, shares.get(name) ?? 0, path ? `${path}.${name}` : name, cuts),
    ]),
  );
}

interface Field {
  name: string;
  value: unknown;
  /** Bytes of the name and of the signs around the value. */
  frame: number;
  /** Bytes of the whole value. */
  size: number;
}

/** The first fields, as many as have room with a few bytes for the value of each. */
function fieldsWithin(fields: readonly Field[], bytes: number): Field[] {
  let left = bytes;
  return fields.filter(({ frame, size }) => {
    left -= frame + Math.min(size, MIN_PART_BYTES);
    return left >= 0;
  });
}

/** The bytes for the value of each field: a small value has its own size, and the others share the rest equally. */
function sharesOf(fields: readonly Field[], bytes: number): Map<string, number> {
  let left = fields.reduce((rest, { frame }) => rest - frame, bytes);
  const ascending = [...fields].sort((a, b) => a.size - b.size);
  return new Map(
    ascending.map(({ name, size }, at) => {
      const share = Math.min(size, Math.floor(left / (ascending.length - at)));
      left -= share;
      return [name, share];
    }),
  );
}
