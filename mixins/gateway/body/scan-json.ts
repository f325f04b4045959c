import { endOfString } from '@workspace-automation/flow-language/json-parse';
import { LONGEST_PATH } from '../../../contract/problem.ts';
import { type JsonBounds, tooDeep, tooManyValues } from './json-bounds.ts';

/** The findings of a scan. They mean something for valid JSON only. */
interface JsonScan {
  /**
   * The dotted paths of keys that an object has more than once, each cut to `LONGEST_PATH`. `JSON.parse` takes the
   * last value silently, other parsers the first.
   */
  repeatedKeys: string[];
  /** Whether `jsonFaults` may find a fault in the parsed text. False for nearly all texts, which then need no look at each value. */
  mayHaveFaults: boolean;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const SEMICOLON = 0x3b;
const LETTER_E = 0x65;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** An escaped NUL, or an escaped half of a surrogate pair. A text that was UTF-8 has a lone surrogate by an escape only. */
const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;
/** Characters in a row outside strings that are a finite number for sure. A number of more than 308 digits is infinite. */
const FINITE_LENGTH = 200;

/**
 * Scans a JSON text before `JSON.parse` makes objects of it. Throws 400 for a text with more values or levels than a
 * body may have. The text need not be JSON, and the time is linear in its length.
 *
 * @param mostRepeats repeated keys after which no further ones are looked for
 */
export function scanJson(text: string, bounds: JsonBounds, mostRepeats: number): JsonScan {
  const repeatedKeys: string[] = [];
  const open: OpenPart[] = [];
  let top: OpenPart | undefined;
  let values = 0;
  let level = 0;
  let isFirst = true; // whether the next value is the first of its object or list, or the whole text
  let mayHaveFaults = SUSPECT_ESCAPE.test(text);
  let tokenStart = 0; // the last sign or string before the present token
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    const closes = code === CLOSING_BRACKET || code === CLOSING_BRACE;
    if (code === COMMA || (isFirst && !closes)) {
      if (++values > bounds.values) throw tooManyValues(bounds);
    }
    isFirst = code === OPENING_BRACKET || code === OPENING_BRACE;
    if (code === QUOTE) {
      const end = endOfString(text, at + 1);
      if (top?.isBeforeKey && repeatedKeys.length < mostRepeats) {
        const written = text.slice(at + 1, end);
        const key = unescapeKey(written);
        const isRepeat = takeKey(top, key);
        if (isRepeat) repeatedKeys.push(pathOf(open));
        if (isRepeat || key === '__proto__') mayHaveFaults = true;
      }
      at = end;
    } else if (isFirst) {
      if (++level > bounds.depth) throw tooDeep(bounds);
      top = new OpenPart(code === OPENING_BRACE);
      open.push(top);
    } else if (closes) {
      level--;
      open.pop();
      top = open[open.length - 1];
    } else if (code === COMMA) {
      if (top?.keys) top.isBeforeKey = true;
      else if (top) top.index++;
    } else {
      if ((code | SPACE) === LETTER_E && isDigit(text.charCodeAt(at - 1))) mayHaveFaults = true;
      while (isPlain(text.charCodeAt(at + 1))) at++;
      if (at - tokenStart > FINITE_LENGTH) mayHaveFaults = true;
      continue;
    }
    tokenStart = at;
  }
  return { repeatedKeys: [...new Set(repeatedKeys)], mayHaveFaults };
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** Whether the character is a digit or one of `-./:`, so that the scan has nothing to do for it behind another one of its kind. */
const isPlain = (code: number): boolean => code > COMMA && code < SEMICOLON;

/** The key that is written so. A key with a mistake in it stays as it is: its text is no JSON. */
function unescapeKey(written: string): string {
  if (!written.includes('\\')) return written;
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return written;
  }
}

/** Keys of an object up to which they are compared one by one. A set costs more for so few. */
const FEW_KEYS = 16;

/** An object or array of the text whose end is not read yet. */
class OpenPart {
  /** The keys of the object so far, until they are many; null for an array. */
  keys: string[] | null;
  /** All keys of an object that has many. */
  manyKeys: Set<string> | null = null;
  /** The keys that the object has more than once. */
  repeated: Set<string> | null = null;
  /** Whether the next text is a key. */
  isBeforeKey: boolean;
  /** The key whose value comes next, or is being read. */
  key = '';
  /** The same of an array. */
  index = 0;

  constructor(isObject: boolean) {
    this.keys = isObject ? [] : null;
    this.isBeforeKey = isObject;
  }
}

/** Makes the key the current one of its object. True where the object has it for the second time. */
function takeKey(part: OpenPart, key: string): boolean {
  part.key = key;
  part.isBeforeKey = false;
  const { keys, manyKeys, repeated } = part;
  if (!keys) return false;
  if (manyKeys ? manyKeys.has(key) : keys.includes(key)) {
    if (repeated?.has(key)) return false;
    part.repeated = (repeated ?? new Set()).add(key);
    return true;
  }
  if (manyKeys) manyKeys.add(key);
  else if (keys.push(key) > FEW_KEYS) part.manyKeys = new Set(keys);
  return false;
}

/** The path of the current key. Each name is cut before it is joined, and names beyond the cut are left out. */
function pathOf(open: readonly OpenPart[]): string {
  let path = '';
  for (const [level, { keys, key, index }] of open.entries()) {
    if (path.length >= LONGEST_PATH) break;
    path += `${level === 0 ? '' : '.'}${(keys ? key : String(index)).slice(0, LONGEST_PATH)}`;
  }
  return path.slice(0, LONGEST_PATH);
}
