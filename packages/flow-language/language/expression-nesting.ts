import { marksOf } from './expression-marks.ts';
import { LIMITS } from './limits.ts';
import { isPatternTooLarge, PATTERN_TOO_LARGE } from './pattern.ts';

/** The nesting that one pair of brackets counts, since parsing brackets takes as much stack as three operators. */
const BRACKET = 3;

const NESTED_TOO_DEEPLY = `it is nested too deeply: more than ${LIMITS.expressionNesting}, where brackets count ${BRACKET} and each operator in a row 1.`;

/** The counts of the text between two brackets, up to the current mark. */
interface Level {
  /** The largest nesting of the parts before the latest separator, apart from `stacked`. */
  deepest: number;
  /** The operators since the latest separator. */
  operators: number;
  /** The `.` in a row up to the current mark. They bind tightest, so each row is nested by itself. */
  steps: number;
  /** The longest row of `.` since the latest separator. */
  mostSteps: number;
  /** The largest nesting of brackets since the latest separator. */
  inner: number;
  /** The `|` of transforms. Transforms may be nested across separators. */
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
 * Finds the place at which an expression becomes too large; null when it is small enough. JSONata parses and evaluates
 * by recursion, and the stack's capacity depends on V8's optimisations so far: without this limit, the same file might
 * compile or not. The nesting is counted from the text, since parsing is what fills the stack. Operators in a row are
 * nested as well: `a & b & c` is `(a & b) & c`.
 */
export function findTooLarge(source: string): { position: number; message: string } | null {
  const outer: Level[] = [];
  let level = newLevel();
  let above = 0;
  for (const mark of marksOf(source, 0)) {
    if (mark === null) break; // JSONata's parser reports the fault
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

/** Returns the nesting that a level adds to brackets opened at the current mark. */
const weightOf = ({ operators, mostSteps, stacked }: Level): number =>
  BRACKET + operators + mostSteps + stacked;

const deepestOf = ({ deepest, operators, mostSteps, inner }: Level): number =>
  Math.max(deepest, operators + mostSteps + inner);

const heightOf = (level: Level): number => level.stacked + deepestOf(level);
