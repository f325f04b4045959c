import type { Json } from '@workspace-automation/flow-language';
import { maskJson } from './mask-json.ts';
import { type Interval, PatternMatcher } from './pattern-matcher.ts';
import { hiddenTexts, LEAST_LENGTH, patternsOf } from './spellings/secret-patterns.ts';

/** What stands in place of a secret. */
export const MASKED = '***';

/** Replaces secrets by `***` in texts and values. */
export interface Mask {
  maskText(text: string): string;
  /** Masks the beginning of a longer text: what may be the beginning of a secret at its end is masked as well. */
  maskPrefix(text: string): string;
  /** A copy of the value whose strings, keys and numbers show no secret. */
  maskJson(value: Json): Json;
}

/**
 * Makes a mask of secrets, each of 8 characters or more. It covers each secret and each line of 8 characters or more:
 * plain, as JSON and HTML write it, percent-encoded, in hexadecimal, and in base64 at any place of a larger text.
 * Throws a RangeError for a shorter secret.
 */
export function createMask(secrets: readonly string[]): Mask {
  if (secrets.some(({ length }) => length < LEAST_LENGTH)) {
    throw new RangeError(`a secret to mask has fewer than ${LEAST_LENGTH} characters`);
  }
  const texts = [...new Set(secrets.flatMap(hiddenTexts))];
  const matcher = new PatternMatcher(texts.flatMap(patternsOf));
  const maskText = (text: string) => replace(text, matcher.find(text));
  const numbers = numbersOf(texts);
  return {
    maskText,
    maskPrefix: (text) => replace(text, matcher.find(text, true)),
    maskJson: (value) => maskJson(value, { text: maskText, number: maskNumber }),
  };

  function maskNumber(value: number): number | string {
    const text = String(value);
    return numbers.has(Math.abs(value)) || maskText(text) !== text ? MASKED : value;
  }
}

/** The secrets that are numbers: JSON may have read them as such, and rounded them. */
function numbersOf(texts: readonly string[]): Set<number> {
  const numbers = texts.map((text) => Math.abs(Number(text)));
  return new Set(numbers.filter((number) => String(number).length >= LEAST_LENGTH));
}

function replace(text: string, intervals: readonly Interval[]): string {
  if (intervals.length === 0) return text;
  let masked = '';
  let shown = 0;
  for (const { start, end } of intervals) {
    masked += text.slice(shown, start) + MASKED;
    shown = end;
  }
  return masked + text.slice(shown);
}
