/** Computes until it has made as many rounds as a run may. Each round is one expression over so many numbers. */
const loopOf = (numbers: number): string =>
  `do:\n  - again: { set: { x: '\${ $sum([1..${numbers}].($ * 2)) }' } }\n  - back: { set: { b: 1 }, then: again }\n`;

/** Each round takes about all of the CPU time that an expression may: on a slow machine some runs fail of it. */
export const HEAVY_LOOP = loopOf(20_000);
/** Goes on for minutes, on a slow machine as well. */
export const LONG_LOOP = loopOf(2_000);
/** Ends at once. */
export const ONE_SET = `do:\n  - a: { set: { n: '\${ $input.n }' } }\n`;
/** Takes as much as a file may take before it is refused as too complex. */
export const HEAVY_FILE = `do: [{ a: { set: { list: [${'[1, 2],'.repeat(9_000)}] } } }]`;
