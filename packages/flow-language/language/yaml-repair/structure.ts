import { Lexer } from 'yaml';

/** The brackets and quotes around one place of a YAML text. */
export interface Structure {
  /** The brackets that are open there, the outermost first. */
  open: readonly { at: number; sign: string }[];
  /** The start of the quoted string that reaches from before the place to it; null where there is none. */
  quote: number | null;
}

/** The lexeme that `yaml` emits directly before the lexeme of a scalar that is not quoted. */
const SCALAR = '\u001F';
/** Lexemes that `yaml` emits and that stand for no text. */
const MARKS: ReadonlySet<string> = new Set([SCALAR, '\u0002', '\u0018']);

/** Finds the structure at each of the offsets, which ascend, in one pass. */
export function structuresAt(text: string, offsets: readonly number[]): Structure[] {
  const found: Structure[] = [];
  const open: { at: number; sign: string }[] = [];
  let at = 0;
  let previous = '';
  for (const lexeme of new Lexer().lex(text)) {
    if (!MARKS.has(lexeme)) {
      const isPlain = previous === SCALAR;
      const isQuoted = !isPlain && /^["']/.test(lexeme);
      while (found.length < offsets.length && (offsets[found.length] ?? 0) < at + lexeme.length) {
        const isInside = isQuoted && (offsets[found.length] ?? 0) > at;
        found.push({ open: [...open], quote: isInside ? at : null });
      }
      if (!isPlain && (lexeme === '{' || lexeme === '[')) open.push({ at, sign: lexeme });
      if (!isPlain && (lexeme === '}' || lexeme === ']')) open.pop();
      at += lexeme.length;
      if (isQuoted && !isClosed(lexeme)) {
        while (found.length < offsets.length)
          found.push({ open: [...open], quote: at - lexeme.length });
      }
    }
    previous = lexeme;
  }
  while (found.length < offsets.length) found.push({ open: [...open], quote: null });
  return found;
}

const isClosed = (quoted: string): boolean =>
  quoted.length > 1 && quoted.endsWith(quoted.charAt(0));
