import { startOfJsonFault } from '../../../support/json-fault.ts';

/**
 * The line and the column, both from 1, of the first mistake of a text that is not JSON. A string with a mistake in it
 * counts as a whole, and the end of a text may be the mistake.
 *
 * @param text of bounded nesting (`scanJson`)
 */
export function placeOfMistake(text: string): { line: number; column: number } {
  const before = text.slice(0, startOfJsonFault(text) ?? text.length);
  return {
    line: before.split('\n').length,
    column: before.length - before.lastIndexOf('\n'),
  };
}
