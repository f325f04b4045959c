/** A text to find, of which the first `keep` characters stay when the rest is masked. */
export interface SecretText {
  text: string;
  keep: number;
}

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
  /** The edges of the trie of all texts, by node: the character that leads to a node, its first child, and its sibling. */
  readonly #chars: Uint16Array;
  readonly #firstChild: Int32Array;
  readonly #nextSibling: Int32Array;
  /** The node of the longest proper suffix of a node's text that is in the trie. */
  readonly #suffix: Int32Array;
  /** The most characters before the end of a node's text that are masked there; 0 where no text ends. */
  readonly #masked: Int32Array;
  #size = 1;

  constructor(texts: readonly SecretText[]) {
    const nodes = 1 + texts.reduce((sum, { text }) => sum + text.length, 0);
    this.#chars = new Uint16Array(nodes);
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
    this.#chars[node] = char;
    this.#nextSibling[node] = this.#firstChild[parent] ?? 0;
    this.#firstChild[parent] = node;
    return node;
  }

  /** Returns the node that a character leads to; 0 without such an edge. */
  #childOf(node: number, char: number): number {
    let child = this.#firstChild[node] ?? 0;
    while (child !== 0 && this.#chars[child] !== char) child = this.#nextSibling[child] ?? 0;
    return child;
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
