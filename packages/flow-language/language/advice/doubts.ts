import { type AstNode, childrenOf } from '../jsonata-ast.ts';
import type { Pitfall } from './pitfalls.ts';

/** Matches every expression that can have a doubt, so that most expressions are not searched. */
const SUSPECT = /[“”„‟‘’‚‛«»]|[{,]\s*[A-Za-z_]\w*\s*:|\blength\b/;
/** Matches a name between, or with one of, the quotes that word processors write. */
const IN_TYPOGRAPHIC_QUOTES = /^[“”„‟‘’‚‛«»]|[“”„‟‘’‚‛«»]$/;
/** Matches the words beside which `length` is a measure. */
const MEASURES = /\b(?:width|height|depth|weight|girth)\b/;

/** Finds the places of an expression that compiles and is probably meant otherwise. */
export function findDoubts(root: AstNode, source: string): Pitfall[] {
  if (!SUSPECT.test(source)) return [];
  // The first of each kind stands for the others: they are one habit of the author.
  let quotes: Pitfall | null = null;
  let key: Pitfall | null = null;
  const visit = (node: AstNode, isInStep: boolean): void => {
    quotes ??= typographicQuotes(node, source);
    if (!isInStep) key ??= unquotedKey(node, source);
    const [first, ...later] = node.type === 'path' ? (node.steps ?? []) : [];
    for (const child of childrenOf(node)) {
      visit(child, isInStep || (first !== child && later.includes(child)));
    }
  };
  visit(root, false);
  const found = [quotes, key, lengthOfPath(root, source)];
  return found.flatMap((one) => (one ? [{ ...one, isCertain: false }] : []));
}

/** JSONata reads typographic quotes as letters of a name. */
function typographicQuotes(node: AstNode, source: string): Pitfall | null {
  const name = nameWritten(node, source);
  if (name === null || !IN_TYPOGRAPHIC_QUOTES.test(name.word)) return null;
  return { position: name.position, message: `write straight quotes, " or ', around a string.` };
}

/** A key without quotes is a path of the input, as it may be meant only inside a later step of a path. */
function unquotedKey({ type, value, lhs }: AstNode, source: string): Pitfall | null {
  if (type !== 'unary' || value !== '{' || !Array.isArray(lhs)) return null;
  for (const [key] of lhs) {
    const [name, second] = key.type === 'path' ? (key.steps ?? []) : [];
    const written = name && !second ? nameWritten(name, source) : null;
    if (!written || !/^\w+$/.test(written.word)) continue;
    const { word, position } = written;
    const message = `"${word}" is a member of the input here: for a key write {"${word}": ...}.`;
    return { position, message };
  }
  return null;
}

/** A list and a string have no member `length`; an object may have. */
function lengthOfPath(root: AstNode, source: string): Pitfall | null {
  const isLessOne = root.type === 'binary' && root.value === '-' && root.rhs?.value === 1;
  const path = isLessOne && !Array.isArray(root.lhs) ? root.lhs : root;
  const steps = path?.type === 'path' ? (path.steps ?? []) : [];
  const last = steps.length > 1 ? steps.at(-1) : undefined;
  const name = last && nameWritten(last, source);
  if (name?.word !== 'length' || MEASURES.test(source)) return null;
  const message =
    '".length" is a member here: write $count(...) for a list, $length(...) for a string.';
  return { position: name.position, message };
}

/** Returns a name that is written without backticks or quotes, with its index in the source. */
function nameWritten({ type, value, position = 0 }: AstNode, source: string) {
  if (type !== 'name') return null;
  const word = String(value);
  const start = position - word.length;
  return source.slice(start, position) === word && !/[`"']/.test(source.charAt(position))
    ? { word, position: start }
    : null;
}
