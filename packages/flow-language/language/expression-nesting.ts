import { marksOf } from './expression-marks.ts';
import { LIMITS } from './limits.ts';
import { isPatternTooLarge, PATTERN_TOO_LARGE } from './pattern.ts';

/** Parsing one takes as much stack as some operators do. */
const BRACKET = 3;

const NESTED_TOO_DEEPLY = `it is nested too deeply: more than ${LIMITS.expressionNesting}, where brackets count ${BRACKET} and each operator in a row 1.`;

/** What stands between two brackets, as far as it is read. */
interface Level {
  /** The deepest of what lies between separators, apart from `stacked`. */
  deepest: number;
  operators: number;
  /** `.` in a row: they bind tightest, so those of one operand lie in no other operand's. */
  steps: number;
  mostSteps: number;
  inner: number;
  /** `|` of transforms, which may hold one another across separators. */
  stacked: number;
}

const newLevel = (): Level => ({
  deepest: 0,
  operators: 0,
  steps: 0,
  mostSteps: 0,
  inner: 0,
  stacked: 0,
});

/**
 * Where an expression is too large, and why; null when it isn't. JSONata parses and evaluates by
 * recursion: how much of that a stack holds depends on what the engine has optimised by then, so
 * that without limits of our own a file might compile today and not tomorrow. Counted without
 * recursion, and from the text, since parsing is what needs the limit.
 * Operators in a row are nested as well: `a & b & c` is `(a & b) & c`.
 */
export function findTooLarge(source: string): { position: number; message: string } | null {
  const outer: Level[] = [];
  let level = newLevel();
  let above = 0;
  for (const mark of marksOf(source, 0)) {
    if (mark === null) break; // JSONata says what is wrong
    if (mark.sign.startsWith('/') && mark.sign.length > 1) {
      if (!isPatternTooLarge(mark.sign)) continue;
      return { position: mark.at, message: `${PATTERN_TOO_LARGE}.` };
    }
    if ('([{'.includes(mark.sign)) {
      if (mark.follows) level.operators += 1;
      above += weightOf(level);
      outer.push(level);
      level = newLevel();
    } else if (')]}'.includes(mark.sign)) {
      const height = BRACKET + heightOf(level);
      level = outer.pop() ?? newLevel();
      level.inner = Math.max(level.inner, height);
      above = Math.max(0, above - weightOf(level));
    } else if (mark.sign === ',' || mark.sign === ';') {
      level = { ...newLevel(), deepest: deepestOf(level), stacked: level.stacked };
    } else if (mark.sign === '|') {
      level.stacked += 1;
    } else if (mark.sign === '.') {
      level.steps += 1;
      level.mostSteps = Math.max(level.mostSteps, level.steps);
    } else {
      level.steps = 0;
      // The `:` of a condition belongs to its `?`, that of an object to its `,`.
      if (mark.sign !== ':') level.operators += 1;
    }
    if (above + heightOf(level) > LIMITS.expressionNesting) {
      return { position: mark.at, message: NESTED_TOO_DEEPLY };
    }
  }
  return null;
}

/** What a level adds to all that is nested in where it has been read to. */
const weightOf = ({ operators, mostSteps, stacked }: Level): number =>
  BRACKET + operators + mostSteps + stacked;

const deepestOf = ({ deepest, operators, mostSteps, inner }: Level): number =>
  Math.max(deepest, operators + mostSteps + inner);

const heightOf = (level: Level): number => level.stacked + deepestOf(level);
