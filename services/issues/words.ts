/** Characters of a word that are stored and compared; the rest is cut off. */
const LONGEST = 64;

/**
 * The words of a text in the form for comparisons: without accents, in lower case, each word once. A word is a
 * sequence of letters and digits.
 */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.slice(0, LONGEST).toWellFormed()))];
}

/** A filter for documents in which each word of `text` is the prefix of a word in one of the fields. */
export const wordFilter = (text: string, fields: readonly string[]) =>
  wordsOf(text).map((word) => ({
    $or: fields.map((field) => ({ [field]: { $regex: `^${word}` } })),
  }));
