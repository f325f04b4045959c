import { findExpressionEnd } from '../expression-end.ts';
import { inQuotes, quote } from '../faults.ts';
import { lineEnd, lineStart, type Mistake } from './mistake.ts';
import type { Repair } from './repair.ts';

/** The most characters of an expression without quotes that are searched for the end of the expression. */
const LONGEST_EXPRESSION = 2_000;

/** The most characters of a path without quotes that is understood. */
const LONGEST_PATH = 200;

/** Repairs a mistake inside `{ }` or `[ ]`. */
export function repairFlow(mistake: Mistake): Repair | null {
  return (
    repairExpression(mistake) ??
    repairCloser(mistake) ??
    repairUnclosed(mistake) ??
    repairComma(mistake) ??
    repairReserved(mistake) ??
    repairPath(mistake) ??
    repairEntry(mistake)
  );
}

/** Repairs an expression without quotes, whose `{` YAML takes for a map. */
function repairExpression({ text, original, at, open }: Mistake): Repair | null {
  const start = text.startsWith('${', at) ? at : at - 1;
  if (open.length === 0 || !text.startsWith('${', start)) return null;
  if (/["']/.test(text.charAt(start - 1))) return repairQuotedExpression({ text, original }, start);
  const end = expressionEnd(text, start);
  const shown = inQuotes(original.slice(start, end));
  const message = `Put the expression in quotes, because braces mean a map here: ${shown}.`;
  const range = { start, end };
  return { at: start, message, range, by: 'word', isLossy: false, isStructural: true };
}

/** Repairs an expression in quotes after a missing colon or comma, so that YAML does not take the quotes for quotes. */
function repairQuotedExpression(
  { text, original }: Pick<Mistake, 'text' | 'original'>,
  start: number,
): Repair {
  const sign = text.charAt(start - 1);
  const closing = expressionEnd(text, start);
  let end = closing;
  while (text.charAt(end) === sign) end += 1;
  const before = text.slice(lineStart(text, start), start - 1);
  const [word, key] = /([\w-]+)\s+$/.exec(before) ?? [];
  const common = { isLossy: true, isStructural: true };
  if (word !== undefined && key !== undefined) {
    const at = start - 1 - word.length;
    const message = `A colon is missing behind ${quote(key)}, or a comma before the quotes.`;
    return { at, message, range: { start: at, end }, by: { text: `${key}:` }, ...common };
  }
  const first = start - (before.endsWith(sign) ? 2 : 1);
  const message = `The quotes end before the value does: write ${inQuotes(original.slice(start, closing))}.`;
  return { at: first, message, range: { start: first, end }, by: 'word', ...common };
}

/** Returns the end of an expression, or of its line when it has none. */
export function expressionEnd(text: string, start: number): number {
  const end = findExpressionEnd(text.slice(0, start + LONGEST_EXPRESSION), start + 2);
  return end === -1 ? lineEnd(text, start) : end + 1;
}

/** Repairs a closing bracket without an opening bracket. */
function repairCloser({ text, at, open, message: given }: Mistake): Repair | null {
  const sign = text.charAt(at);
  if (open.length > 0 || !/^[}\]]$/.test(sign) || !given.startsWith('Unexpected flow-'))
    return null;
  const message = `This "${sign}" closes nothing: leave it out, or open it before.`;
  return { at, message, range: { start: at, end: at + 1 }, by: 'space', isLossy: true };
}

/** Repairs a bracket that is never closed. The text from the bracket on is lost. */
function repairUnclosed({ text, at, open, message: given }: Mistake): Repair | null {
  const [outermost] = open;
  if (!outermost || !/ end with a [}\]]$/.test(given) || /[}\]]/.test(text.charAt(at))) return null;
  const closer = outermost.sign === '{' ? '}' : ']';
  const message = `This "${outermost.sign}" is never closed: a "${closer}" is missing.`;
  const end = outermost.at + text.slice(outermost.at, at).trimEnd().length;
  return {
    at: outermost.at,
    message,
    range: { start: outermost.at, end },
    by: 'word',
    isLossy: true,
  };
}

function repairComma({ text, at, open, message: given }: Mistake): Repair | null {
  if (open.length === 0 || text.charAt(at) !== ',' || !given.startsWith('Unexpected ,'))
    return null;
  const message = 'This comma has no entry before it: leave it out.';
  return { at, message, range: { start: at, end: at + 1 }, by: 'space', isLossy: false };
}

/** Text that begins with a character that YAML reserves. */
function repairReserved({ text, original, at, open, code }: Mistake): Repair | null {
  if (open.length === 0 || (code !== 'BAD_SCALAR_START' && code !== 'BAD_ALIAS')) return null;
  const end = entryEnd(text, at);
  const message = `Text that begins with "${text.charAt(at)}" needs quotes: ${inQuotes(original.slice(at, end))}.`;
  return { at, message, range: { start: at, end }, by: 'word', isLossy: false };
}

/** Matches a path of an expression that has a bracket, up to the end of its entry. */
const PATH = /\$[\w.$`*]*(?:\[[^[\]{}\n]*\][^,[\]{}\n]*)+/y;
/** Matches the part of a path before its first bracket, at the start of a value. */
const PATH_START = /(?:^|[\s,:{[])(\$[\w.$`*]*)$/;

/** A path of an expression without quotes and `${ }`, which YAML cuts at the bracket. */
function repairPath({ text, at, open }: Mistake): Repair | null {
  if (open.length === 0 || text.charAt(at) !== '[') return null;
  const before = text.slice(Math.max(lineStart(text, at), at - LONGEST_PATH), at);
  const start = at - (PATH_START.exec(before)?.[1] ?? '').length;
  PATH.lastIndex = start;
  const path = PATH.exec(text)?.[0].trimEnd();
  if (start === at || path === undefined || path.length > LONGEST_PATH) return null;
  const message = `Put the expression in quotes and in \${ }, because brackets mean a list here: ${inQuotes(`\${ ${path} }`)}.`;
  const range = { start, end: start + path.length };
  return { at: start, message, range, by: 'word', isLossy: false, isStructural: true };
}

/** An entry that does not end where YAML expects: a comma, a colon or quotes are missing. */
function repairEntry({ text, original, at, open, code, message: given }: Mistake): Repair | null {
  const isRest = given.startsWith('Unexpected') && given.endsWith('at node end');
  if (open.length === 0 || !(code === 'BLOCK_IN_FLOW' || given.startsWith('Missing ,') || isRest)) {
    return null;
  }
  const end = entryEnd(text, at);
  if (end <= at) return null;
  const shown = inQuotes(original.slice(at, end));
  const message = `A comma or a colon is missing before or in ${shown}; text with ": ", "," or brackets needs quotes.`;
  return {
    at,
    message,
    range: { start: at, end },
    by: code === 'BLOCK_IN_FLOW' ? 'word' : 'space',
    isLossy: true,
  };
}

/** Returns the end of an entry of `{ }` or `[ ]` on its line. */
function entryEnd(text: string, at: number): number {
  const line = text.slice(at, lineEnd(text, at));
  const end = line.search(/\s*(?:[,}\]]|$)/);
  return at + (end === -1 ? line.length : end);
}
