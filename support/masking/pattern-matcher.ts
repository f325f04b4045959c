import type { Pattern } from './spellings/pattern.ts';
import { Trie } from './trie.ts';

/** An interval of a text: `start` is in it, `end` is not. */
export interface Interval {
  start: number;
  end: number;
}

/**
 * Characters of a pattern that the trie holds. With all of them, the trie of a secret of 4,000 characters would take a
 * second to make, and half a million nodes.
 */
const MOST_IN_TRIE = 64;
/**
 * Characters of long patterns that are compared for each character of a text. Beyond them, what follows the beginning
 * of a long pattern is hidden without a comparison, so that no text and no secret make a search slow.
 */
const COMPARED_PER_CHARACTER = 64;

/** A text in which the rests of long patterns are compared. */
interface Comparison {
  readonly text: string;
  readonly isPrefix: boolean;
  /** Characters that may still be compared. */
  left: number;
}

/** Whether the rest of a pattern stands at `at`, or begins there at the end of a prefix. */
function continues(rest: string, at: number, comparison: Comparison): boolean {
  if (comparison.left <= 0) return true;
  comparison.left -= rest.length;
  const { text, isPrefix } = comparison;
  if (isPrefix && text.length - at < rest.length) return rest.startsWith(text.slice(at));
  return text.startsWith(rest, at);
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
  /** The patterns that are longer than the trie holds, by the node of their beginning. */
  readonly #long = new Map<number, Pattern[]>();
  /** For each node: 1 where the beginning of a long pattern ends. */
  readonly #isLong: Uint8Array;

  constructor(patterns: readonly Pattern[]) {
    const ends = patterns.map(({ text }) => this.#trie.add(text.slice(0, MOST_IN_TRIE)));
    this.#fail = new Int32Array(this.#trie.size);
    this.#reach = new Int32Array(this.#trie.size);
    this.#after = new Uint8Array(this.#trie.size);
    this.#isLong = new Uint8Array(this.#trie.size);
    patterns.forEach((pattern, index) => {
      const { text, before, after } = pattern;
      const node = ends[index] ?? 0;
      if (text.length <= MOST_IN_TRIE) this.#extend(node, text.length + before, after);
      else this.#addLong(node, pattern);
    });
    this.#link();
  }

  /**
   * The intervals of `text` that contain a pattern, in order and apart from one another. With `isPrefix` the text is
   * the beginning of a longer one: what may be the beginning of a pattern at its end is an interval as well.
   */
  find(text: string, isPrefix = false): Interval[] {
    const intervals: Interval[] = [];
    const comparison = { text, isPrefix, left: COMPARED_PER_CHARACTER * text.length };
    let node = 0;
    for (let index = 0; index < text.length; index++) {
      node = this.#next(node, text.charCodeAt(index));
      if (this.#isLong[node]) this.#findLong(node, index + 1, comparison, intervals);
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

  #addLong(node: number, pattern: Pattern): void {
    this.#long.set(node, [...(this.#long.get(node) ?? []), pattern]);
    this.#isLong[node] = 1;
  }

  /** Adds the intervals of the long patterns whose beginning ends at `end`. */
  #findLong(node: number, end: number, comparison: Comparison, intervals: Interval[]): void {
    for (const { text, before, after } of this.#long.get(node) ?? []) {
      const rest = text.length - MOST_IN_TRIE;
      if (!continues(text.slice(MOST_IN_TRIE), end, comparison)) continue;
      add(intervals, {
        start: Math.max(0, end - MOST_IN_TRIE - before),
        end: Math.min(comparison.text.length, end + rest + after),
      });
    }
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
