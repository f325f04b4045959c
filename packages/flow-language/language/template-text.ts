import { findExpressionEnd } from './expression-end.ts';

/** A segment of a string: literal text, or the source of one `${ ... }` with its index in the string. */
export type Segment =
  | { kind: 'text'; text: string }
  | { kind: 'expression'; source: string; index: number };

/** The segments of a string, or the index of a `${` that is never closed. */
export type Split = { segments: readonly Segment[] } | { unterminatedAt: number };

/**
 * Splits a string at its expressions. `$${` is the escape of a literal `${`. Adjacent text is one segment, and there
 * are no empty segments of text.
 */
export function splitTemplate(text: string): Split {
  const segments: Segment[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    const dollar = text.indexOf('$', at);
    if (dollar === -1) break;
    literal += text.slice(at, dollar);
    if (text.startsWith('$${', dollar)) {
      literal += '${';
      at = dollar + 3;
    } else if (text.startsWith('${', dollar)) {
      const index = dollar + 2;
      const end = findExpressionEnd(text, index);
      if (end === -1) return { unterminatedAt: dollar };
      if (literal !== '') segments.push({ kind: 'text', text: literal });
      segments.push({ kind: 'expression', source: text.slice(index, end), index });
      literal = '';
      at = end + 1;
    } else {
      literal += '$';
      at = dollar + 1;
    }
  }
  literal += text.slice(at);
  if (literal !== '') segments.push({ kind: 'text', text: literal });
  return { segments };
}

/** Writes a text so that the language reads it as this text, without expressions. */
export const escapeExpressions = (text: string): string => text.replaceAll('${', () => '$${');

/** Returns the expression of a string that has nothing but one expression and white space around it. */
export function wholeExpression(
  segments: readonly Segment[],
): Extract<Segment, { kind: 'expression' }> | null {
  const rest = segments.filter((one) => one.kind === 'expression' || one.text.trim() !== '');
  const [only, second] = rest;
  return only?.kind === 'expression' && !second ? only : null;
}
