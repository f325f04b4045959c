import type { Warning } from '../plan.ts';
import { LIMITS } from './limits.ts';
import { Lines } from './lines.ts';

/** The codes of warnings. They must stay the same, because clients compare them. */
export type WarningCode =
  // Secrets
  | 'SECRET_IN_HEADER'
  | 'SECRET_IN_URL'
  | 'SECRET_IN_TEXT'
  // Text that its author has probably meant as an expression
  | 'LOOKS_LIKE_EXPRESSION'
  // An expression that compiles, and fails or gives nothing, or probably does, when it is evaluated
  | 'EXPRESSION_DOUBTFUL'
  // A keyword of a JSON Schema that is probably misspelt, and checks nothing
  | 'SCHEMA_DOUBTFUL'
  // The list of warnings itself
  | 'TOO_MANY_WARNINGS';

interface FoundWarning {
  start: number;
  end: number;
  code: Exclude<WarningCode, 'TOO_MANY_WARNINGS'>;
  message: string;
}

/** Warnings that are kept of one file. Later warnings are only counted. */
const KEPT = 10 * LIMITS.warnings;

/** Collects the warnings of one text. */
export class Warnings {
  readonly #found: FoundWarning[] = [];
  #dropped = 0;

  /** Adds a warning of a range of the text, in UTF-16 code units. */
  add(start: number, end: number, code: FoundWarning['code'], message: string): void {
    if (this.#found.length >= KEPT) this.#dropped += 1;
    else this.#found.push({ start, end, code, message });
  }

  /** Lists the warnings in the order of the text. Of overlapping ranges only the first has a warning. */
  list(text: string): Warning[] {
    const lines = new Lines(text);
    const apart = withoutOverlaps(this.#found);
    const warnings: Warning[] = apart
      .slice(0, LIMITS.warnings)
      .map(({ start, code, message }) => ({ ...lines.at(start), code, message }));
    const more = apart.length - warnings.length + this.#dropped;
    if (more > 0) {
      const message = `There are ${more} more warnings; only the first ${LIMITS.warnings} are listed.`;
      const at = apart[LIMITS.warnings]?.start ?? 0;
      warnings.push({ ...lines.at(at), code: 'TOO_MANY_WARNINGS', message });
    }
    return warnings;
  }
}

function withoutOverlaps(found: readonly FoundWarning[]): FoundWarning[] {
  let end = -1;
  const sorted = [...found].sort((a, b) => a.start - b.start || b.end - a.end);
  return sorted.filter((warning) => {
    if (warning.start < end) return false;
    end = warning.end;
    return true;
  });
}
