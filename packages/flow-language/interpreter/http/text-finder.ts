import { randomInt } from 'node:crypto';

/** A text to find, of which the first `keep` characters stay when the rest is masked. */
export interface SecretText {
  text: string;
  keep: number;
}

/** Random odd factors of this process, so that nobody can choose texts whose nodes get the same place in the table. */
const PARENT_FACTOR = randomInt(2 ** 32) | 1;
const CHAR_FACTOR = randomInt(2 ** 32) | 1;

/** A part of a text: the characters from `start` up to `end`. */
export interface Interval {
  start: number;
  end: number;
}

/**
 * Finds many texts at once by the automaton of Aho and Corasick (1975). A search takes time for each character of the
 * searched text, and none for each of the many texts.
 */
export class TextFinder {
  /** The nodes of the trie of all texts: the parent of each, and the character that leads from there. */
  readonly #parents: Int32Array;
  readonly #chars: Uint16Array;
  /** A hash table of the nodes by parent and character, with linear probing; 0 is an empty place. */
  readonly #table: Int32Array;
  /** The bits of a hash that its place leaves out. */
  readonly #shift: number;
  /** The children of each node, as a list: the first child, and the next sibling. */
  readonly #firstChild: Int32Array;
  readonly #nextSibling: Int32Array;
  /** The node of the longest proper suffix of a node's text that is in the trie. */
  readonly #suffix: Int32Array;
  /** The most characters before the end of a node's text that are masked there; 0 where no text ends. */
  readonly #masked: Int32Array;
  #size = 1;

  constructor(texts: readonly SecretText[]) {
    const nodes = 1 + texts.reduce((sum, { text }) => sum + text.length, 0);
    this.#parents = new Int32Array(nodes);
    this.#chars = new Uint16Array(nodes);
    const bits = Math.ceil(Math.log2(2 * nodes));
    this.#table = new Int32Array(2 ** bits);
    this.#shift = 32 - bits;
    this.#firstChild = new Int32Array(nodes);
    this.#nextSibling = new Int32Array(nodes);
    this.#suffix = new Int32Array(nodes);
    this.#masked = new Int32Array(nodes);
    for (const each of texts) this.#add(each);
    this.#link();
  }

  /** Finds the parts to mask, in order. Parts that overlap are one part. */
  find(text: string): Interval[] {
    /** The parts found so far, which later and longer texts may join. */
    const found: Interval[] = [];
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      node = this.#step(node, text.charCodeAt(at));
      const masked = this.#masked[node] ?? 0;
      if (masked > 0) join(found, { start: at + 1 - masked, end: at + 1 });
    }
    return found;
  }

  #add({ text, keep }: SecretText): void {
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text.charCodeAt(at);
      node = this.#childOf(node, char) || this.#insert(node, char);
    }
    this.#masked[node] = Math.max(this.#masked[node] ?? 0, text.length - keep);
  }

  #insert(parent: number, char: number): number {
    const node = this.#size++;
    this.#parents[node] = parent;
    this.#chars[node] = char;
    this.#table[this.#placeOf(parent, char)] = node;
    this.#nextSibling[node] = this.#firstChild[parent] ?? 0;
    this.#firstChild[parent] = node;
    return node;
  }

  /** Returns the node that a character leads to; 0 without such an edge. */
  #childOf(node: number, char: number): number {
    return this.#table[this.#placeOf(node, char)] ?? 0;
  }

  /** Finds the place of a node in the table, or the empty place for it. */
  #placeOf(parent: number, char: number): number {
    const mask = this.#table.length - 1;
    const hash = Math.imul(parent, PARENT_FACTOR) + Math.imul(char, CHAR_FACTOR);
    let place = hash >>> this.#shift; // the high bits, as in multiply-shift hashing (Dietzfelbinger et al., 1997)
    for (;;) {
      const node = this.#table[place] ?? 0;
      if (node === 0) return place;
      if (this.#parents[node] === parent && this.#chars[node] === char) return place;
      place = (place + 1) & mask;
    }
  }

  #step(from: number, char: number): number {
    let node = from;
    for (;;) {
      const child = this.#childOf(node, char);
      if (child !== 0 || node === 0) return child;
      node = this.#suffix[node] ?? 0;
    }
  }

  /** Links the nodes to their suffixes, the nodes of shorter texts first. */
  #link(): void {
    const queue = new Int32Array(this.#size);
    let queued = 1; // the root is the first
    for (let next = 0; next < queued; next++) {
      const node = queue[next] ?? 0;
      for (
        let child = this.#firstChild[node] ?? 0;
        child !== 0;
        child = this.#nextSibling[child] ?? 0
      ) {
        queue[queued++] = child;
        const suffix =
          node === 0 ? 0 : this.#step(this.#suffix[node] ?? 0, this.#chars[child] ?? 0);
        this.#suffix[child] = suffix;
        this.#masked[child] = Math.max(this.#masked[child] ?? 0, this.#masked[suffix] ?? 0);
      }
    }
  }
}

/** Adds a part that ends behind all earlier parts, and joins it with those that it overlaps. */
function join(found: Interval[], { start, end }: Interval): void {
  let joined = start;
  for (let last = found.at(-1); last && last.end > joined; last = found.at(-1)) {
    joined = Math.min(joined, last.start);
    found.pop();
  }
  found.push({ start: joined, end });
}
