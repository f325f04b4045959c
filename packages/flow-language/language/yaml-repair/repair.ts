import type { YAMLError } from 'yaml';
import type { Range } from '../faults.ts';
import { repairBlockValue } from './block-value.ts';
import { repairFlow } from './flow.ts';
import { repairKey } from './key.ts';
import type { Mistake } from './mistake.ts';
import { repairEscape, repairQuote } from './quote.ts';
import { structuresAt } from './structure.ts';

/** A mistake in the syntax of YAML that is understood, and the change of the text that takes it out of the way. */
export interface Repair {
  /** The offset of the fault. */
  at: number;
  message: string;
  /** The part of the text that is replaced. Other faults in it follow from the mistake. */
  range: Range;
  /** The replacement of the range, at the same length: a word, white space, or the given text. */
  by: 'word' | 'space' | { text: string };
  /** Whether entries of the file may be lost with the range. */
  isLossy: boolean;
  /** Whether the mistake moves the ends of brackets and quotes, so that later errors of the parse follow from it. */
  isStructural?: boolean;
}

/** Errors of one parse that are looked at. Later errors are met in the next parse. */
const MOST_ERRORS = 50;

const REPAIRS: readonly ((mistake: Mistake) => Repair | null)[] = [
  repairQuote,
  repairEscape,
  repairFlow,
  repairBlockValue,
  repairKey,
];

/**
 * Finds the repairs of the errors of one parse, up to the first error that is not understood. Later errors may follow from
 * that error. `original` is the text before the repairs of earlier parses.
 */
export function findRepairs(
  text: string,
  errors: readonly YAMLError[],
  original: string,
): Repair[] {
  const first = errors.toSorted((a, b) => a.pos[0] - b.pos[0]).slice(0, MOST_ERRORS);
  const structures = structuresAt(
    text,
    first.map(({ pos }) => pos[0]),
  );
  const repairs: Repair[] = [];
  for (const [i, error] of first.entries()) {
    const [at] = error.pos;
    // An error on a repaired line may follow from the repaired mistake.
    const last = repairs.at(-1);
    if (last && !text.slice(last.range.end, Math.max(at, last.range.end)).includes('\n')) continue;
    const structure = structures[i] ?? { open: [], quote: null };
    const { code, message } = error;
    const mistake: Mistake = { text, original, at, code, message, ...structure };
    const repair = firstOf(mistake);
    if (!repair) break;
    repairs.push(repair);
    if (repair.isLossy || repair.isStructural) break;
  }
  return repairs;
}

function firstOf(mistake: Mistake): Repair | null {
  for (const find of REPAIRS) {
    const repair = find(mistake);
    if (repair) return repair;
  }
  return null;
}

/** Applies repairs at the same length, so that all offsets stay true. */
export function applyRepairs(text: string, repairs: readonly Repair[]): string {
  let at = 0;
  let repaired = '';
  for (const { range, by } of repairs.toSorted((a, b) => a.range.start - b.range.start)) {
    if (range.start < at) continue;
    repaired +=
      text.slice(at, range.start) + replacementFor(text.slice(range.start, range.end), by);
    at = range.end;
  }
  return repaired + text.slice(at);
}

/** A word replaces the first line only, because a second line would be a second word of the value. */
function replacementFor(part: string, by: Repair['by']): string {
  if (typeof by !== 'string') return by.text.padEnd(part.length, ' ');
  const spaces = part.replace(/[^\r\n]/g, ' ');
  const end = by === 'word' ? part.search(/[ \t]*(?:[\r\n]|$)/) : 0;
  return 'x'.repeat(end) + spaces.slice(end);
}
