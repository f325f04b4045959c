/** The limits of a flow file (flow language, section 6). Sizes count after aliases are followed. */
export const LIMITS = {
  /** UTF-8 bytes of the text. */
  textBytes: 256 * 1024,
  keysInOneMap: 1_000,
  nodes: 20_000,
  /**
   * UTF-16 code units of all keys and strings. The text's own size bounds it until aliases repeat a
   * long string; without a bound a small file could make a plan of gigabytes.
   */
  characters: 1024 * 1024,
  /** Lists and maps inside one another: more than any sensible body needs, less than a stack holds. */
  depth: 128,
  /**
   * How deep an expression is: an operator in a row counts 1, a row of `.` as its longest, brackets around it 3, so that 200 pairs
   * of brackets inside one another are taken. A fresh child's stack holds more than twice as much.
   */
  expressionNesting: 600,
  /** Schemas that one value has to meet because each names or holds the next. A stack takes twice as many. */
  schemaChain: 128,
  /** Groups and quantifiers of one regular expression. A fresh child's stack takes more than twice as many. */
  patternParts: 500,
  tasks: 500,
  /** Tasks inside one another; a task of the top list is 1. */
  taskNesting: 10,
  durationMs: 30 * 24 * 60 * 60 * 1000,
  loopRounds: 10_000,
  /** Faults that one answer lists. */
  faults: 100,
} as const;

export const TOO_MANY_NODES = `The file has more than ${LIMITS.nodes} values (aliases followed).`;
export const TOO_DEEP = `Lists and maps are more than ${LIMITS.depth} levels deep here.`;
