import { quote } from '../faults.ts';

/** An error of JSONata's parser, as it throws it. */
export interface ParserError {
  code?: string;
  message?: string;
  /** The index directly behind the token. */
  position?: number;
  token?: unknown;
  /** The token that the parser needs instead, for some codes. */
  value?: unknown;
}

/** Describes the mistake in an expression in plain words, by the code of JSONata's error. */
export function describeSyntaxError({ code, message, token, value }: ParserError): string {
  const found = typeof token === 'string' ? quote(token) : quote(String(value ?? token));
  switch (code) {
    case 'S0101':
      return 'a string has no closing quote.';
    case 'S0103':
      return `the escape \\${String(token)} is unknown in a string; for a backslash itself write two.`;
    case 'S0105':
      return 'a name in backticks has no closing backtick.';
    case 'S0106':
      return 'a comment is never closed by */.';
    case 'S0201':
      return token === ''
        ? 'an operator is missing between two values; strings are joined by &.'
        : `${found} can't stand here; an operator or a comma may be missing before it.`;
    case 'S0202':
      return `${quote(String(value))} is missing before ${quote(String(token))}.`;
    case 'S0203':
      return `${quote(String(value))} is missing at the end.`;
    case 'S0204':
      return `${found} is no operator of JSONata.`;
    case 'S0207':
      return 'it ends too early; a value is missing at the end.';
    case 'S0208':
      return 'parameters of a function begin with $, such as function($x) { $x }.';
    case 'S0211':
      return `${found} can't stand here; a value is missing before it.`;
    case 'S0212':
      return 'a variable begins with $, such as ($x := 1; $x).';
    case 'S0302':
      return 'a regular expression is never closed by "/".';
    default:
      return message ?? "it isn't JSONata.";
  }
}
