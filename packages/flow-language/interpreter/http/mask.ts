import type { Json } from '../../plan.ts';

/**
 * Replaces the secrets that a host has put into requests, by their value. It is applied to all that a call gives
 * before anything else of the run sees it: the journal, expressions and later tasks.
 */
export interface Mask {
  maskText(text: string): string;
  /** Masks all strings of a value, the keys of maps too. */
  maskJson(value: Json): Json;
}

/** The mask of a host without secrets. */
export const NO_MASK: Mask = { maskText: (text) => text, maskJson: (value) => value };
