import { marksOf } from './expression-marks.ts';

/**
 * Finds the `}` that closes a `${` whose expression starts at `from`; -1 when it is never closed. Braces of objects
 * inside the expression do not count.
 */
export function findExpressionEnd(text: string, from: number): number {
  let depth = 0;
  for (const mark of marksOf(text, from)) {
    if (mark?.sign === '}' && depth === 0) return mark.at;
    if (mark?.sign === '{') depth += 1;
    if (mark?.sign === '}') depth -= 1;
  }
  return -1;
}

/** Tells whether a `${` is never closed because a string, name, comment or regular expression in it is not. */
export function hasOpenLiteral(text: string, from: number): boolean {
  for (const mark of marksOf(text, from)) if (mark === null) return true;
  return false;
}
