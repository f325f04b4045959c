const LITERAL = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\/\*[\s\S]*?\*\//g;

/** Replaces strings, quoted names and comments of an expression by spaces between their quotes, at the same length. */
export function maskLiterals(source: string): string {
  return source.replace(LITERAL, (literal) => {
    const quote = literal.charAt(0) === '/' ? ' ' : literal.charAt(0);
    return quote + ' '.repeat(literal.length - 2) + quote;
  });
}
