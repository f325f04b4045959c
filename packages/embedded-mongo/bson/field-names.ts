/** Names that are kept, one for each slot; a power of 2. A newer name replaces the older one of its slot. */
const SLOTS = 1024;
/** Characters of a name that is kept; a longer name is decoded each time. */
const MAX_LENGTH = 39;

const names: (string | undefined)[] = new Array(SLOTS).fill(undefined);

/**
 * The ASCII field name between two positions. Field names repeat, so that most are found by the hash of their
 * bytes and not decoded.
 */
export function asciiName(bytes: Buffer, start: number, end: number, hash: number): string {
  const slot = hash & (SLOTS - 1);
  const known = names[slot];
  if (known !== undefined && known.length === end - start) {
    let i = 0;
    while (i < known.length && known.charCodeAt(i) === bytes[start + i]) i++;
    if (i === known.length) return known;
  }
  const name = bytes.toString('latin1', start, end);
  if (name.length <= MAX_LENGTH) names[slot] = name;
  return name;
}
