/** An object or array of the text that has not ended yet. */
interface Open {
  /** Where it stands in the one around it. */
  readonly at: string | number;
  /** Keys of the object so far; null for an array. */
  readonly keys: Set<string> | null;
  /** The key or index that comes next, or whose value is being read. */
  current: string | number;
  /** Whether the next text is a key. */
  beforeKey: boolean;
}

/**
 * The dotted paths of keys that an object has more than once: `JSON.parse` takes the last one silently,
 * and others the first. One pass over the text.
 *
 * @param text valid JSON
 * @param most paths after which the search ends
 */
export function duplicateKeys(text: string, most: number): string[] {
  const found = new Set<string>();
  const open: Open[] = [];
  let top: Open | undefined;
  for (let at = 0; at < text.length && found.size < most; at++) {
    const sign = text[at];
    if (sign === '"') {
      const end = endOfString(text, at);
      if (top?.beforeKey) noteKey(top, text.slice(at, end + 1), open, found);
      at = end;
    } else if (sign === '{' || sign === '[') {
      top = newOpen(sign, top?.current ?? '');
      open.push(top);
    } else if (sign === '}' || sign === ']') {
      open.pop();
      top = open.at(-1);
    } else if (sign === ',') nextItem(top);
  }
  return [...found];
}

const newOpen = (sign: '{' | '[', at: string | number): Open =>
  sign === '{'
    ? { at, keys: new Set(), current: '', beforeKey: true }
    : { at, keys: null, current: 0, beforeKey: false };

function nextItem(top: Open | undefined): void {
  if (!top) return;
  if (typeof top.current === 'number') top.current++;
  else top.beforeKey = true;
}

/** The position of the quote that ends the string: the first with an even number of backslashes before. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return end;
  }
}

function noteKey(top: Open, quoted: string, open: readonly Open[], found: Set<string>): void {
  const key = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (top.keys?.has(key)) {
    const path = [...open.slice(1).map(({ at }) => at), key];
    found.add(path.join('.'));
  }
  top.keys?.add(key);
  top.current = key;
  top.beforeKey = false;
}
