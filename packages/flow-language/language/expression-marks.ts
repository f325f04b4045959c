/** JSONata's white space. */
const SPACE = ' \t\n\r\v';
/** The characters that are operators and that end a name. */
const OPERATORS = '.[]{}(),@#;:?+-*/%|=<>^&!~';
/** Operators of two characters. */
const PAIRS = new Set(['..', ':=', '!=', '>=', '<=', '**', '~>', '?:', '??']);
/** Names that are operators between two operands. */
const WORD_OPERATORS = new Set(['and', 'or', 'in']);
/** Operators that are names at the place of an operand. */
const WILDCARDS = new Set(['*', '**', '%']);

/** An operator, a bracket, a separator or a regular expression (with its slashes) of an expression. */
export interface Mark {
  at: number;
  sign: string;
  /** Whether the mark comes directly after an operand. */
  follows: boolean;
}

/**
 * Yields the marks of an expression from `from` on, and null at last when a string, quoted name, comment or regular
 * expression is never closed. Characters inside these are no marks, as JSONata's tokeniser reads them.
 */
export function* marksOf(text: string, from: number): Generator<Mark | null> {
  // True when an operand may begin here: then `/` starts a regular expression and `*` is a name.
  let operand = true;
  let at = from;
  while (at !== -1 && at < text.length) {
    const character = text.charAt(at);
    if (SPACE.includes(character)) {
      at += 1;
    } else if (text.startsWith('/*', at)) {
      at = findEndOf(text, '*/', at + 2);
    } else if (character === '"' || character === "'") {
      at = findStringEnd(text, at);
      operand = false;
    } else if (character === '`') {
      at = findEndOf(text, '`', at + 1);
      operand = false;
    } else if (character === '/' && operand) {
      const end = findRegexEnd(text, at + 1);
      if (end !== -1) yield { at, sign: text.slice(at, end), follows: false };
      operand = false;
      at = end;
    } else if (OPERATORS.includes(character)) {
      const pair = text.slice(at, at + 2);
      const sign = PAIRS.has(pair) ? pair : character;
      const isName: boolean = operand && WILDCARDS.has(sign);
      if (!isName) yield { at, sign, follows: !operand };
      operand = !isName && !')]}'.includes(sign);
      at += sign.length;
    } else {
      const end = findWordEnd(text, at);
      const sign = text.slice(at, end);
      const isOperator: boolean = !operand && WORD_OPERATORS.has(sign);
      if (isOperator) yield { at, sign, follows: true };
      operand = isOperator;
      at = end;
    }
  }
  if (at === -1) yield null;
}

function findEndOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? -1 : found + mark.length;
}

function findStringEnd(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === quote) return at + 1;
  }
  return -1;
}

/** JSONata ends a regular expression at the first `/` outside brackets that isn't escaped. */
function findRegexEnd(text: string, start: number): number {
  let depth = 0;
  let backslashes = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '/' && depth === 0 && backslashes % 2 === 0) return at + 1;
    // JSONata's own rule for brackets: any backslash directly before a bracket escapes the bracket.
    if (backslashes === 0 && '([{'.includes(character)) depth += 1;
    if (backslashes === 0 && ')]}'.includes(character)) depth -= 1;
    backslashes = character === '\\' ? backslashes + 1 : 0;
  }
  return -1;
}

function findWordEnd(text: string, start: number): number {
  let at = start;
  while (
    at < text.length &&
    !SPACE.includes(text.charAt(at)) &&
    !OPERATORS.includes(text.charAt(at))
  )
    at += 1;
  return at;
}
