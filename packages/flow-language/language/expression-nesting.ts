import { marksOf } from './expression-marks.ts';
import { LIMITS } from './limits.ts';

/** Parsing one takes as much stack as some operators do. */
const BRACKET = 3;

export const NESTED_TOO_DEEPLY = `it is nested too deeply: more than ${LIMITS.expressionNesting}, where brackets count ${BRACKET} and each operator in a row 1.`;

/** What stands between two brackets, as far as it is read. */
interface Level {
  /** The deepest of what lies between separators, apart from `stacked`. */
  deepest: number;
  operators: number;
  inner: number;
  /** `|` of transforms, which may hold one another across separators. */
  stacked: number;
}

const newLevel = (): Level => ({ deepest: 0, operators: 0, inner: 0, stacked: 0 });

/**
 * Where an expression goes beyond `LIMITS.expressionNesting`; -1 when it doesn't. JSONata parses
 * and evaluates by recursion: how much of that a stack holds depends on what the engine has
 * optimised by then, so that without a limit of our own a file might compile today and not
 * tomorrow. Counted without recursion, and from the text, since parsing is what needs the limit.
 * Operators in a row are nested as well: `a & b & c` is `(a & b) & c`.
 */
export function findTooDeep(source: string): number {
  const outer: Level[] = [];
  let level = newLevel();
  let above = 0;
  for (const mark of marksOf(source, 0)) {
    if (mark === null) break; // JSONata says what is wrong
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
    } else {
      level.operators += 1;
    }
    if (above + heightOf(level) > LIMITS.expressionNesting) return mark.at;
  }
  return -1;
}

/** What a level adds to all that is nested in where it has been read to. */
const weightOf = ({ operators, stacked }: Level): number => BRACKET + operators + stacked;

const deepestOf = ({ deepest, operators, inner }: Level): number =>
  Math.max(deepest, operators + inner);

const heightOf = (level: Level): number => level.stacked + deepestOf(level);
