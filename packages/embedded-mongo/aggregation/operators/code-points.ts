/** Tells whether the code unit at `i` is the second half of a surrogate pair. */
const isSecondHalf = (text: string, i: number): boolean => {
  const code = text.charCodeAt(i);
  return code >= 0xdc00 && code <= 0xdfff;
};

/** Counts the code points from one offset to another. Neither offset may be within a surrogate pair. */
export function countCodePoints(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let i = from; i < to; i++) if (!isSecondHalf(text, i)) count++;
  return count;
}

/** Returns the offset after a number of code points, at most the text's length. */
export function skipCodePoints(text: string, count: number): number {
  let at = 0;
  for (let left = count; left > 0 && at < text.length; left--)
    at += isSecondHalf(text, at + 1) ? 2 : 1;
  return at;
}
