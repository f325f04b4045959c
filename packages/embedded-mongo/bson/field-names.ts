/** Slots of the cache of names, a power of 2. A new name replaces the name in its slot. */
const SLOTS = 1024;
/** Characters of a cached name. A longer name is decoded each time. */
const MAX_LENGTH = 39;

const names: (string | undefined)[] = new Array(SLOTS).fill(undefined);

/**
 * Returns the ASCII field name between two positions. Most names repeat, so most are found in the cache by the hash of
 * their bytes.
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
