import { base64Patterns } from './base64.ts';
import { htmlSpellings } from './html.ts';
import { jsonSpellings, wholeJsonSpellings } from './json-text.ts';
import { type Pattern, patternOf } from './pattern.ts';
import { nestedPercentSpellings, percentSpellings, wholePercentSpellings } from './percent.ts';

/** The least characters of a secret, and of a text by which it is recognised. Shorter texts appear by chance. */
export const LEAST_LENGTH = 8;
/** The most characters of a text whose spelling by escapes alone is recognised. Those take six times the memory. */
const MOST_ESCAPED = 1_024;

/**
 * The texts that must not be shown of a secret: its lines, and itself because of its shorter lines. All of them without
 * spaces at the ends as well.
 */
export function hiddenTexts(secret: string): string[] {
  const lines = secret.split(/\r\n|\r|\n/);
  const parts = lines.every((line) => line === '' || isLong(line)) ? lines : [secret, ...lines];
  return distinct(parts.flatMap((part) => [part, part.trim()])).filter(isLong);
}

/** The patterns of a text in every spelling. */
export function patternsOf(text: string): Pattern[] {
  const spelled = [text, ...misreadSpellings(text), ...jsonSpellings(text), ...htmlSpellings(text)];
  if (text.length <= MOST_ESCAPED) spelled.push(...wholeJsonSpellings(text));
  const patterns = bytesOf(text).flatMap((bytes) => {
    spelled.push(...byteSpellings(bytes, text.length <= MOST_ESCAPED));
    return base64Patterns(bytes);
  });
  return [...patterns, ...distinct(spelled).map(patternOf)].filter(({ text }) => isLong(text));
}

function byteSpellings(bytes: Buffer, escapedWhole: boolean): string[] {
  const hex = bytes.toString('hex');
  const whole = escapedWhole
    ? [...wholePercentSpellings(bytes), ...nestedPercentSpellings(bytes)]
    : [];
  return [hex, hex.toUpperCase(), ...percentSpellings(bytes), ...whole];
}

/** The text in UTF-8 as readers of Latin-1 show it: clients of HTTP read headers so, decoders as Windows-1252. */
function misreadSpellings(text: string): string[] {
  const bytes = Buffer.from(text);
  return [bytes.toString('latin1'), new TextDecoder('windows-1252').decode(bytes)];
}

/** The bytes of a text in UTF-8, and in Latin-1 where it can hold the text. Older clients take that for Basic. */
function bytesOf(text: string): Buffer[] {
  const bytes = [Buffer.from(text), Buffer.from(text, 'latin1')] as const;
  const isLatin1 = bytes[1].toString('latin1') === text;
  return isLatin1 && !bytes[0].equals(bytes[1]) ? [...bytes] : [bytes[0]];
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];
const isLong = (text: string): boolean => text.length >= LEAST_LENGTH;
