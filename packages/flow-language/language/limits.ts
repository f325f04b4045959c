/**
 * The limits of a flow file (flow language, section 6). A file beyond a limit has a fault. Values, characters and levels
 * are counted after aliases are followed.
 */
export const LIMITS = {
  /** UTF-8 bytes of the text. */
  textBytes: 256 * 1024,
  /** Keys of one map. */
  keysInOneMap: 1_000,
  /** Values of the file. */
  nodes: 20_000,
  /**
   * UTF-16 code units of all keys and strings. The limit of the text is not enough: aliases that repeat a long string
   * could make a plan of gigabytes from a small file.
   */
  characters: 1024 * 1024,
  /** Levels of lists and maps. The limit is more than a sensible body needs and less than a stack holds. */
  depth: 128,
  /**
   * The nesting of an expression: an operator counts 1, a row of `.` its longest length, a pair of brackets 3, so that
   * 200 nested pairs of brackets are accepted. A new child's stack holds more than twice this nesting.
   */
  expressionNesting: 600,
  /** Schemas in a chain that all apply to the same value. The stack holds twice as many. */
  schemaChain: 128,
  /** Groups and quantifiers of one regular expression. A new child's stack holds more than twice as many. */
  patternParts: 500,
  /** Tasks of the file. */
  tasks: 500,
  /** Levels of tasks. The tasks of the top list are level 1. */
  taskNesting: 10,
  /** Rounds of one loop at once (`metadata.parallel`). */
  parallelRounds: 1_000,
  /** Runs of one flow that are RUNNING at once (`metadata.concurrency`). */
  concurrentRuns: 1_000,
  /** Milliseconds of one duration. */
  durationMs: 30 * 24 * 60 * 60 * 1000,
  /** Retries of a retry policy that has a duration and no count. */
  loopRounds: 10_000,
  /** Faults that one answer lists. One further fault has the number of the rest. */
  faults: 100,
  /** Warnings that one answer lists. One further warning has the number of the rest. */
  warnings: 100,
} as const;

export const TOO_MANY_NODES = `The file has more than ${LIMITS.nodes} values (aliases followed).`;
export const TOO_MANY_CHARACTERS = `Keys and strings (aliases followed) are over ${LIMITS.characters} characters.`;
export const TOO_DEEP = `Lists and maps are more than ${LIMITS.depth} levels deep here.`;
