import type { Mask } from './mask.ts';

interface Cut {
  /** The most UTF-16 units of the result. */
  maxChars: number;
  /** Whether `text` is already the beginning of a longer text. */
  wasCut: boolean;
}

/**
 * Masks a text and then cuts it, so that no part of a secret stays at the cut. `truncated` tells whether the result is
 * the beginning of a longer text.
 */
export function maskAndCut(
  mask: Mask,
  text: string,
  { maxChars, wasCut }: Cut,
): { text: string; truncated: boolean } {
  // A cut through the bytes of a character leaves U+FFFD, which continues no secret.
  const masked = wasCut ? mask.maskPrefix(text.replace(/\ufffd{1,3}$/, '')) : mask.maskText(text);
  if (masked.length <= maxChars) return { text: masked, truncated: wasCut };
  return { text: withoutHalfPair(masked.slice(0, maxChars)), truncated: true };
}

/** Removes the first half of a surrogate pair at the end. */
const withoutHalfPair = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');
