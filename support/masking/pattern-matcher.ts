import type { Pattern } from './spellings/pattern.ts';
import { Trie } from './trie.ts';

/** An interval of a text: `start` is in it, `end` is not. */
export interface Interval {
  start: number;
  end: number;
}

/**
 * Finds all patterns in one pass over a text, in time proportional to the text however the patterns look: the
 * automaton of Aho and Corasick ("Efficient string matching", 1975).
 */
export class PatternMatcher {
  readonly #trie = new Trie();
  /** For each node: the node of the longest proper suffix that begins a pattern. */
  readonly #fail: Int32Array;
  /** For each node: characters to hide before its end and after it; 0 before where no pattern ends. */
  readonly #reach: Int32Array;
  readonly #after: Uint8Array;

  constructor(patterns: readonly Pattern[]) {
    const ends = patterns.map(({ text }) => this.#trie.add(text));
    this.#fail = new Int32Array(this.#trie.size);
    this.#reach = new Int32Array(this.#trie.size);
    this.#after = new Uint8Array(this.#trie.size);
    patterns.forEach(({ text, before, after }, index) => {
      const node = ends[index] ?? 0;
      this.#extend(node, text.length + before, after);
    });
    this.#link();
  }

  /**
   * The intervals of `text` that contain a pattern, in order and apart from one another. With `isPrefix` the text is
   * the beginning of a longer one: what may be the beginning of a pattern at its end is an interval as well.
   */
  find(text: string, isPrefix = false): Interval[] {
    const intervals: Interval[] = [];
    let node = 0;
    for (let index = 0; index < text.length; index++) {
      node = this.#next(node, text.charCodeAt(index));
      const reach = this.#reach[node] ?? 0;
      if (reach === 0) continue;
      const end = index + 1;
      add(intervals, {
        start: Math.max(0, end - reach),
        end: Math.min(text.length, end + (this.#after[node] ?? 0)),
      });
    }
    const depth = isPrefix ? this.#trie.depthOf(node) : 0;
    // One character more, which may contain bits of a secret in base64.
    const start = Math.max(0, text.length - depth - 1);
    if (depth > 0) add(intervals, { start, end: text.length });
    return intervals;
  }

  #next(from: number, char: number): number {
    let node = from;
    for (;;) {
      const child = this.#trie.child(node, char);
      if (child !== 0) return child;
      if (node === 0) return 0;
      node = this.#fail[node] ?? 0;
    }
  }

  /** Sets the links of all nodes, parents and shorter texts first. */
  #link(): void {
    for (const node of this.#trie.breadthFirst()) {
      const parent = this.#trie.parentOf(node);
      const fail = parent === 0 ? 0 : this.#next(this.#fail[parent] ?? 0, this.#trie.charOf(node));
      this.#fail[node] = fail;
      this.#extend(node, this.#reach[fail] ?? 0, this.#after[fail] ?? 0);
    }
  }

  #extend(node: number, reach: number, after: number): void {
    this.#reach[node] = Math.max(this.#reach[node] ?? 0, reach);
    this.#after[node] = Math.max(this.#after[node] ?? 0, after);
  }
}

/** Adds an interval that ends behind all others, and joins those that touch it. */
function add(intervals: Interval[], { start, end }: Interval): void {
  let joined = start;
  let last = intervals.at(-1);
  let until = end;
  while (last && last.end >= joined) {
    joined = Math.min(joined, last.start);
    until = Math.max(until, last.end);
    intervals.pop();
    last = intervals.at(-1);
  }
  intervals.push({ start: joined, end: until });
}
