/** Characters of a word beyond which nothing is compared. */
const LONGEST = 64;

/**
 * The words of a text in the form they are compared in: without accents, in lower case, each once.
 * What letters and digits make up is a word.
 */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.slice(0, LONGEST).toWellFormed()))];
}

/** A filter for documents in which each word of `text` stands in one of the fields, or begins a word there. */
export const wordFilter = (text: string, fields: readonly string[]) =>
  wordsOf(text).map((word) => ({
    $or: fields.map((field) => ({ [field]: { $regex: `^${word}` } })),
  }));
