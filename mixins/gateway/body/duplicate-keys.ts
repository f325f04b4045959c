import { LONGEST_PATH } from '../../../contract/problem.ts';
import { endOfString } from './json-string.ts';

/** An object or array of the text whose end is not read yet. */
interface Open {
  /** How often the object has had each key so far; null while it has none. */
  keys: Map<string, number> | null;
  /** The key or index that comes next, or whose value is being read. */
  current: string | number;
  /** Whether the next text is a key. */
  beforeKey: boolean;
}

/**
 * The dotted paths of keys that an object has more than once, each cut to `LONGEST_PATH`. `JSON.parse` takes the
 * last value silently, other parsers the first. The time is linear in the length of the text.
 *
 * @param text valid JSON
 * @param most repeated keys after which the search ends
 */
export function duplicateKeys(text: string, most: number): string[] {
  const paths: string[] = [];
  const open: Open[] = [];
  let top: Open | undefined;
  for (let at = 0; at < text.length && paths.length < most; at++) {
    const sign = text[at];
    if (sign === '"') {
      const end = endOfString(text, at);
      if (top?.beforeKey && isNewRepeat(top, text.slice(at, end + 1))) paths.push(pathOf(open));
      at = end;
    } else if (sign === '{' || sign === '[') {
      top = newOpen(sign);
      open.push(top);
    } else if (sign === '}' || sign === ']') {
      open.pop();
      top = open.at(-1);
    } else if (sign === ',') nextItem(top);
  }
  return [...new Set(paths)];
}

const newOpen = (sign: '{' | '['): Open =>
  sign === '{'
    ? { keys: null, current: '', beforeKey: true }
    : { keys: null, current: 0, beforeKey: false };

function nextItem(top: Open | undefined): void {
  if (!top) return;
  if (typeof top.current === 'number') top.current++;
  else top.beforeKey = true;
}

/** Makes the key the current one of its object. True where the object has it for the second time. */
function isNewRepeat(top: Open, quoted: string): boolean {
  const key = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  top.keys ??= new Map();
  const times = (top.keys.get(key) ?? 0) + 1;
  top.keys.set(key, times);
  top.current = key;
  top.beforeKey = false;
  return times === 2;
}

/** The path of the current key. Each name is cut before it is joined, and names beyond the cut are left out. */
function pathOf(open: readonly Open[]): string {
  let path = '';
  for (const [level, { current }] of open.entries()) {
    if (path.length >= LONGEST_PATH) break;
    path += `${level === 0 ? '' : '.'}${String(current).slice(0, LONGEST_PATH)}`;
  }
  return path.slice(0, LONGEST_PATH);
}
