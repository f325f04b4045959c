import jsonata from 'jsonata';
import { inQuotes } from '../faults.ts';
import { describe, type Node, stringOf, toJson } from '../tree.ts';
import { findForeignSyntax } from './foreign-syntax.ts';

/** The most characters of a text that is tried as an expression; a longer text is not tried. */
const LONGEST_TRIED = 200;
/** The most characters of a value that the advice repeats; a longer value is left out. */
const LONGEST_LITERAL = 40;

/** Makes the advice for a value where an expression is needed. */
export function insteadOf(node: Node): string {
  const text = stringOf(node);
  if (text !== null) return insteadOfText(text);
  const literal = node.kind === 'map' ? '' : JSON.stringify(toJson(node));
  const isShort = literal !== '' && literal.length <= LONGEST_LITERAL;
  return `this is ${describe(node)}${isShort ? `: write '\${ ${literal} }'` : ''}`;
}

/** Makes the advice for a text where an expression is needed. */
function insteadOfText(text: string): string {
  const source = text.replace(/^\s*=?\{\{|\}\}\s*$|^\s*\$\$?\{|\}\s*$/g, '').trim();
  if (source === '' || source.length > LONGEST_TRIED) return 'this is text without one';
  if (compiles(source)) return `write ${inQuotes(`\${ ${source} }`)}`;
  const foreign = findForeignSyntax(source);
  return foreign
    ? `this is text without one, and no JSONata: ${foreign.message.slice(0, -1)}`
    : 'this is text without one';
}

function compiles(source: string): boolean {
  try {
    jsonata(source);
    return true;
  } catch {
    return false;
  }
}
