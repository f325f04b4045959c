import { marksOf } from './expression-marks.ts';

/**
 * The index of the `}` that closes a `${` whose expression starts at `from`; -1 when none does.
 * Braces inside the expression's own objects don't count.
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
