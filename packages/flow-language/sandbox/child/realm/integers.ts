/** `$integer`, whose result has more digits than a double. */
import { isIntegerText } from '../../../data-json.ts';

/** An integer that a double does not tell from its neighbours. `JSON.stringify` writes its digits. */
interface Integer {
  rawJSON: string;
}

// The types of TypeScript do not have these functions of Node.js yet.
const { isRawJSON, rawJSON } = JSON as unknown as {
  isRawJSON(value: unknown): value is Integer;
  rawJSON(text: string): Integer;
};

export const isInteger = (value: unknown): value is Integer => isRawJSON(value);

/**
 * `$integer(text)`: an integer of any size, which the body of a call has as a number, and any other value as text. An
 * integer that a double has exactly is a number.
 */
export function toInteger(given: string | number | undefined): number | Integer | undefined {
  if (given === undefined) return undefined;
  const text = String(given).trim();
  if (!isIntegerText(text)) {
    throw { message: '$integer needs an integer in decimal digits, without fraction and exponent' };
  }
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : rawJSON(text);
}
