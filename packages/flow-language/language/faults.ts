import type { Fault } from '../plan.ts';
import { LIMITS } from './limits.ts';
import { Lines } from './lines.ts';
import { pointersOf } from './pointers.ts';
import type { Node } from './tree.ts';

/** The codes of faults. They must stay the same, because clients compare them. */
export type FaultCode =
  // The text as YAML
  | 'TEXT_TOO_LARGE'
  | 'TEXT_INVALID'
  | 'EMPTY_FILE'
  | 'YAML_SYNTAX'
  | 'YAML_DIRECTIVE'
  | 'MULTIPLE_DOCUMENTS'
  | 'CUSTOM_TAG'
  | 'MERGE_KEY'
  | 'KEY_NOT_A_STRING'
  | 'DUPLICATE_KEY'
  // A whole number that would lose digits
  | 'NUMBER_NOT_EXACT'
  | 'NUMBER_NOT_FINITE'
  | 'UNKNOWN_ALIAS'
  | 'CIRCULAR_ALIAS'
  | 'TOO_MANY_KEYS'
  | 'TOO_MANY_NODES'
  | 'TOO_DEEP'
  // Keys and types of values
  | 'UNKNOWN_KEY'
  | 'MISSING_KEY'
  | 'WRONG_TYPE'
  | 'INVALID_VALUE'
  | 'REFUSED'
  // Tasks, names and jumps
  | 'TASK_KIND_MISSING'
  | 'TASK_KIND_AMBIGUOUS'
  | 'INVALID_NAME'
  | 'RESERVED_NAME'
  | 'DUPLICATE_NAME'
  | 'UNKNOWN_TARGET'
  | 'SECOND_DEFAULT'
  | 'TOO_MANY_TASKS'
  | 'TASKS_TOO_DEEP'
  // Values of their own grammar
  | 'EXPRESSION_NEEDED'
  | 'EXPRESSION_NOT_ALLOWED'
  | 'EXPRESSION_UNTERMINATED'
  | 'EXPRESSION_INVALID'
  | 'UNKNOWN_VARIABLE'
  | 'UNKNOWN_STEP'
  | 'DURATION_INVALID'
  | 'DURATION_TOO_LONG'
  | 'ENDPOINT_INVALID'
  | 'SCHEMA_INVALID'
  | 'SCHEMA_REMOTE_REF'
  // The list of faults itself
  | 'TOO_MANY_FAULTS';

/** A range of the text, in UTF-16 code units. */
export interface Range {
  start: number;
  end: number;
}

/** A message, or the function that makes it when the fault is listed: finding the nearest name takes time. */
export type Message = string | (() => string);

interface FoundFault {
  offset: number;
  code: FaultCode;
  message: Message;
  /** Faults that are found later in this range follow from this fault and are dropped. */
  covers?: Range | undefined;
}

/** Codes of faults that are dropped in a file with a hidden part, because the hidden part may have the missing name or key. */
const NEEDS_THE_WHOLE_FILE: ReadonlySet<FaultCode> = new Set([
  'MISSING_KEY',
  'TASK_KIND_MISSING',
  'UNKNOWN_TARGET',
  'UNKNOWN_STEP',
  'UNKNOWN_ALIAS',
]);

/** Faults that are kept of one file. Later faults are only counted, so that a hostile file cannot fill the memory. */
const KEPT = 10 * LIMITS.faults;

/** Collects the faults of one text. */
export class Faults {
  readonly #text: string;
  readonly #found = new Map<string, FoundFault>();
  #dropped = 0;
  /** Whether a mistake in the syntax hides parts of the file. */
  #isIncomplete = false;
  /** The offset of the white space before the syntax error that is not understood. Faults from here on are dropped. */
  #guessedFrom = Number.POSITIVE_INFINITY;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Adds a fault at an offset of the text, in UTF-16 code units. The same fault at the same offset counts once. Later
   * faults in the range that it covers are dropped, because they follow from it.
   */
  add(offset: number, code: FaultCode, message: Message, covers?: Range): void {
    if (this.#found.size >= KEPT) {
      this.#dropped += 1;
      return;
    }
    const key = `${offset} ${code} ${typeof message === 'string' ? message : ''}`;
    if (this.#found.has(key)) return;
    this.#found.set(key, { offset, code, message, covers });
  }

  /** Adds a mistake in the syntax whose range is taken out of the way. */
  addRepaired(offset: number, message: string, range: Range, isLossy: boolean): void {
    const covers = { start: Math.min(offset, range.start), end: Math.max(offset, range.end) + 1 };
    this.add(offset, 'YAML_SYNTAX', message, covers);
    this.#isIncomplete ||= isLossy;
  }

  /** Adds the syntax error from which on the parser guesses. It may follow from a mistake that hides parts of the file. */
  addSyntaxError(offset: number, message: string): void {
    if (!this.#isIncomplete) this.add(offset, 'YAML_SYNTAX', message);
    this.#isIncomplete = true;
    this.#guessedFrom = this.#text.slice(0, offset).trimEnd().length;
  }

  /**
   * Lists the faults in the order of the text, at most `LIMITS.faults`, and then one fault with the number of the rest.
   * `root` is the tree of the text, by which the faults get their pointers.
   */
  list(root: Node | null): Fault[] {
    const lines = new Lines(this.#text);
    const pointers = pointersOf(root);
    const all = withoutCovered(
      [...this.#found.values()].filter((fault) => !this.#followsFromSyntax(fault)),
    ).sort((a, b) => a.offset - b.offset);
    const faults = all.slice(0, LIMITS.faults).map(({ offset, code, message }) => {
      const text = shorten(typeof message === 'string' ? message : message(), LONGEST_MESSAGE);
      return { ...lines.at(offset), code, message: text, pointer: pointers.at(offset) };
    });
    const more = all.length - faults.length + this.#dropped;
    const last = all[faults.length];
    if (more > 0) {
      faults.push({
        ...lines.at(last?.offset ?? 0),
        pointer: '',
        code: 'TOO_MANY_FAULTS',
        message: `There are ${more} more faults; only the first ${LIMITS.faults} are listed.`,
      });
    }
    return faults;
  }

  /**
   * Tells whether a fault is a mere consequence of a mistake in the syntax. After a syntax error the parser guesses, and
   * faults of guessed values help no author. An empty value directly before the error is such a guess as well.
   */
  #followsFromSyntax({ offset, code }: FoundFault): boolean {
    if (code === 'YAML_SYNTAX') return false;
    return offset >= this.#guessedFrom || (this.#isIncomplete && NEEDS_THE_WHOLE_FILE.has(code));
  }
}

/** Leaves out the faults that an earlier found fault covers. */
function withoutCovered(found: readonly FoundFault[]): FoundFault[] {
  const covers: Range[] = [];
  return found.filter((fault) => {
    if (covers.some((range) => isWithin(fault.offset, range))) return false;
    if (fault.covers) covers.push(fault.covers);
    return true;
  });
}

const isWithin = (offset: number, { start, end }: Range): boolean =>
  offset >= start && offset < end;

/** Characters of a fault's message. The rest is cut. */
const LONGEST_MESSAGE = 500;
/** Characters of the author's text that a message quotes. The rest is cut. */
const LONGEST_QUOTE = 60;

/** Quotes a piece of the author's text for a message, on one line and shortened. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text, LONGEST_QUOTE));
}

/** Writes a piece of the author's text as YAML in single quotes for a message, shortened. */
export function inQuotes(text: string): string {
  return `'${shorten(text, LONGEST_QUOTE).replace(/\s+/g, ' ').replaceAll("'", "''")}'`;
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}

/** Names that a message lists. The rest is replaced by "and more". */
const LONGEST_LIST = 30;

/** Joins names for a message: `a, b, c`. The list is shortened, because a hostile file may cause many messages. */
export function joinNames(...lists: Iterable<string>[]): string {
  const shown: string[] = [];
  for (const list of lists) {
    for (const name of list) {
      if (shown.length === LONGEST_LIST) return `${shown.join(', ')} and more`;
      shown.push(name);
    }
  }
  return shown.join(', ');
}
