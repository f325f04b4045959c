/** JSON of other systems and of users, whose numbers may have more digits than a double. */
import { endOfString } from './json-parse.ts';

/**
 * A number outside a string that may be written with 16 digits or more, or with an exponent of three digits or more.
 * The match begins behind a sign of JSON, so that the search is linear in the text and seldom ends in a string.
 */
const MAYBE_LARGE = /(?:^|[\s:,[])-?(?:\d{16}|\d[\d.]*e\+?\d{3})/i;
/** A number, or the quote that begins a string. */
const NUMBER_OR_QUOTE = /"|-?\d[\d.eE+-]*/g;
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/**
 * Parses JSON as data from outside: an integer without fraction and exponent beyond ±(2^53−1), and a number too large for
 * a double, become text with all their digits. Every other value is that of `JSON.parse`, which throws for a text that
 * is not JSON. The time is linear in the text.
 */
export function parseDataJson(text: string): unknown {
  const value = JSON.parse(text);
  return mayHaveLargeNumbers(text) ? JSON.parse(quoteLargeNumbers(text)) : value;
}

/** Whether `parseDataJson` may read a text otherwise than `JSON.parse`. False for nearly all texts. */
export const mayHaveLargeNumbers = (text: string): boolean => MAYBE_LARGE.test(text);

/** Writes the large numbers of a valid JSON text as strings. */
function quoteLargeNumbers(text: string): string {
  const parts: string[] = [];
  let written = 0;
  NUMBER_OR_QUOTE.lastIndex = 0;
  for (let found = NUMBER_OR_QUOTE.exec(text); found; found = NUMBER_OR_QUOTE.exec(text)) {
    const [token] = found;
    const end = token === '"' ? endOfString(text, found.index + 1) + 1 : NUMBER_OR_QUOTE.lastIndex;
    if (token !== '"' && isLarge(token)) {
      parts.push(text.slice(written, found.index), `"${token}"`);
      written = end;
    }
    NUMBER_OR_QUOTE.lastIndex = end;
  }
  return parts.join('') + text.slice(written);
}

const isLarge = (number: string): boolean =>
  isLargeInteger(number) || !Number.isFinite(Number(number));

/** Whether a text is an integer in decimal digits that a double does not tell from its neighbours. */
export const isLargeInteger = (text: string): boolean =>
  isIntegerText(text) && !Number.isSafeInteger(Number(text));

/**
 * Begins an integer of `$integer` in an evaluated body, which is written as a number. No other text has half a surrogate
 * pair: the sandbox refuses it.
 */
const INTEGER_MARK = '\ud800';
const MARKED_INTEGER = /"\\ud800(-?\d+)"/g;

export const markInteger = (digits: string): string => `${INTEGER_MARK}${digits}`;
export const isMarkedInteger = (value: unknown): boolean =>
  typeof value === 'string' && value.startsWith(INTEGER_MARK);

/** Writes the marked integers of a JSON text as numbers. */
export const writeIntegers = (json: string): string => json.replaceAll(MARKED_INTEGER, '$1');

/** Whether a text is an integer as JSON writes integers without fraction and exponent. */
export const isIntegerText = (text: string): boolean => INTEGER.test(text);
