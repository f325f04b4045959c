/** JSONata's white space and the characters that end a name. */
const SPACE = ' \t\n\r\v';
const OPERATORS = '.[]{}(),@#;:?+-*/%|=<>^&!~';
/** Names that are operators between two operands. */
const WORD_OPERATORS = new Set(['and', 'or', 'in']);

/**
 * The index of the `}` that closes a `${` whose expression starts at `from`; -1 when none does.
 * Braces inside the expression's own objects, strings, quoted names, comments and regular
 * expressions don't count, so the text is read the way JSONata's tokeniser reads it.
 */
export function findExpressionEnd(text: string, from: number): number {
  let depth = 0;
  // Whether an operand may stand here: there, `/` starts a regular expression and `*` is a name.
  let operand = true;
  let at = from;
  while (at !== -1 && at < text.length) {
    const character = text.charAt(at);
    if (SPACE.includes(character)) {
      at += 1;
    } else if (text.startsWith('/*', at)) {
      at = after(text, '*/', at + 2);
    } else if (character === '"' || character === "'") {
      at = afterString(text, at);
      operand = false;
    } else if (character === '`') {
      at = after(text, '`', at + 1);
      operand = false;
    } else if (character === '/' && operand) {
      at = afterRegex(text, at + 1);
      operand = false;
    } else if (character === '}' && depth === 0) {
      return at;
    } else if (OPERATORS.includes(character)) {
      if (character === '{') depth += 1;
      if (character === '}') depth -= 1;
      const isOperand: boolean = operand && (character === '*' || character === '%');
      operand = !isOperand && !')]}'.includes(character);
      at += isOperand && text.startsWith('**', at) ? 2 : 1;
    } else {
      const end = endOfWord(text, at);
      operand = !operand && WORD_OPERATORS.has(text.slice(at, end));
      at = end;
    }
  }
  return -1;
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? -1 : found + mark.length;
}

function afterString(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === quote) return at + 1;
  }
  return -1;
}

/** JSONata ends a regular expression at the first `/` outside brackets that isn't escaped. */
function afterRegex(text: string, start: number): number {
  let depth = 0;
  let backslashes = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '/' && depth === 0 && backslashes % 2 === 0) return at + 1;
    // Its own rule for brackets: any backslash before one escapes it.
    if (backslashes === 0 && '([{'.includes(character)) depth += 1;
    if (backslashes === 0 && ')]}'.includes(character)) depth -= 1;
    backslashes = character === '\\' ? backslashes + 1 : 0;
  }
  return -1;
}

function endOfWord(text: string, start: number): number {
  let at = start;
  while (
    at < text.length &&
    !SPACE.includes(text.charAt(at)) &&
    !OPERATORS.includes(text.charAt(at))
  )
    at += 1;
  return at;
}
