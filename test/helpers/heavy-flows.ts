/** Computes until it has made as many rounds as a run may, which takes minutes. */
export const LOOP = `do:\n  - again: { set: { x: '\${ $sum([1..20000].($ * 2)) }' } }\n  - back: { set: { b: 1 }, then: again }\n`;
/** Ends at once. */
export const ONE_SET = `do:\n  - a: { set: { n: '\${ $input.n }' } }\n`;
/** Takes as much as a file may take before it is refused as too complex. */
export const HEAVY_FILE = `do: [{ a: { set: { list: [${'[1, 2],'.repeat(9_000)}] } } }]`;
