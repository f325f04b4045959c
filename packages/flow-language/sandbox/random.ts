/**
 * Random numbers from a seed, so that a replay gets the same numbers. They are not for secrets. The algorithm is sfc32
 * seeded by FNV-1a, after the public domain PractRand by Chris Doty-Humphrey.
 */

/** Returns a function that returns numbers from 0 up to but not including 1. The same seed gives the same numbers in order. */
export function seededRandom(seed: string): () => number {
  let a = hash(seed, 0x811c9dc5);
  let b = hash(seed, 0x01000193);
  let c = hash(seed, 0x9e3779b9);
  let counter = 1;
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 12; i++) next();
  return next;
}

function hash(text: string, start: number): number {
  let state = start;
  for (let i = 0; i < text.length; i++) {
    state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  }
  return state | 0;
}
