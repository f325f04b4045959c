import type { Fault } from '../plan.ts';
import { LIMITS } from './limits.ts';
import { Lines } from './lines.ts';

/** Why a file is refused. Stable: people and programs match on these. */
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
  | 'NUMBER_NOT_FINITE'
  | 'UNKNOWN_ALIAS'
  | 'CIRCULAR_ALIAS'
  | 'TOO_MANY_KEYS'
  | 'TOO_MANY_NODES'
  | 'TOO_DEEP'
  // What stands where
  | 'UNKNOWN_KEY'
  | 'MISSING_KEY'
  | 'WRONG_TYPE'
  | 'INVALID_VALUE'
  | 'REFUSED'
  | 'NOT_YET_SUPPORTED'
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

interface Found {
  offset: number;
  code: FaultCode;
  message: string;
}

/** Faults that mean nothing where a syntax error may have swallowed what they miss. */
const NEEDS_THE_WHOLE_FILE: ReadonlySet<FaultCode> = new Set([
  'MISSING_KEY',
  'TASK_KIND_MISSING',
  'UNKNOWN_TARGET',
  'UNKNOWN_STEP',
  'UNKNOWN_ALIAS',
]);

/** Kept while collecting; later ones are only counted, so that a hostile file can't fill memory. */
const KEPT = 10 * LIMITS.faults;

/** Collects what is wrong with one text. */
export class Faults {
  readonly #text: string;
  readonly #found = new Map<string, Found>();
  #dropped = 0;
  #syntaxErrorAt = Number.POSITIVE_INFINITY;
  /** Where the white space before the syntax error begins. */
  #guessedFrom = Number.POSITIVE_INFINITY;

  constructor(text: string) {
    this.#text = text;
  }

  /** Notes a fault at an offset of the text, in UTF-16 code units. The same fault counts once. */
  add(offset: number, code: FaultCode, message: string): void {
    if (this.#found.size >= KEPT) {
      this.#dropped += 1;
      return;
    }
    if (code === 'YAML_SYNTAX' && offset < this.#syntaxErrorAt) {
      this.#syntaxErrorAt = offset;
      this.#guessedFrom = this.#text.slice(0, offset).trimEnd().length;
    }
    const short = shorten(message, LONGEST_MESSAGE);
    // Of several syntax errors in one place the first is the cause.
    const key = code === 'YAML_SYNTAX' ? `${offset}` : `${offset} ${code} ${short}`;
    if (!this.#found.has(key)) this.#found.set(key, { offset, code, message: short });
  }

  /** In the order of the text; at most `LIMITS.faults`, then one that says how many more. */
  list(): Fault[] {
    const lines = new Lines(this.#text);
    const all = [...this.#found.values()]
      .filter((fault) => !this.#followsFromSyntax(fault))
      .sort((a, b) => a.offset - b.offset);
    const faults = all.slice(0, LIMITS.faults).map(({ offset, code, message }) => {
      return { ...lines.at(offset), code, message };
    });
    const more = all.length - faults.length + this.#dropped;
    const last = all[faults.length];
    if (more > 0) {
      faults.push({
        ...lines.at(last?.offset ?? 0),
        code: 'TOO_MANY_FAULTS',
        message: `There are ${more} more faults; only the first ${LIMITS.faults} are listed.`,
      });
    }
    return faults;
  }

  /**
   * Behind a syntax error the parser guesses, and guesses make faults that nobody can act on. What is
   * nothing right before the error is such a guess: the error stands where it should begin.
   */
  #followsFromSyntax({ offset, code }: Found): boolean {
    if (this.#syntaxErrorAt === Number.POSITIVE_INFINITY || code === 'YAML_SYNTAX') return false;
    return offset >= this.#guessedFrom || NEEDS_THE_WHOLE_FILE.has(code);
  }
}

const LONGEST_MESSAGE = 500;
const LONGEST_QUOTE = 60;

/** A piece of the author's text for a message: quoted, on one line, not endless. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text, LONGEST_QUOTE));
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}

const LONGEST_LIST = 30;

/** Names for a message: `a, b, c`. Of very many only the first: a hostile file asks often. */
export function listed(...lists: Iterable<string>[]): string {
  const shown: string[] = [];
  for (const list of lists) {
    for (const name of list) {
      if (shown.length === LONGEST_LIST) return `${shown.join(', ')} and more`;
      shown.push(name);
    }
  }
  return shown.join(', ');
}
