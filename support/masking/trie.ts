/** The factor of a multiplicative hash (Knuth): 2^32 divided by the golden ratio. */
const FACTOR = 0x9e3779b1;
const FIRST_SLOTS = 1_024;

/**
 * A tree of texts, one UTF-16 unit an edge. Nodes are numbers, the root is 0. The edges of all nodes stand in one hash
 * table with open addressing, because a table for each node would take the memory of all characters.
 */
export class Trie {
  /** The nodes that the slots of the table lead to; 0 is an empty slot. */
  #slots = new Int32Array(FIRST_SLOTS);
  readonly #parents: number[] = [0];
  readonly #chars: number[] = [0];
  readonly #depths: number[] = [0];

  get size(): number {
    return this.#parents.length;
  }

  /** Adds a text and returns the node of its end. */
  add(text: string): number {
    let node = 0;
    for (let index = 0; index < text.length; index++) {
      const char = text.charCodeAt(index);
      node = this.child(node, char) || this.#insert(node, char);
    }
    return node;
  }

  /** The node that a character leads to; 0 without such an edge. */
  child(node: number, char: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash(node, char) & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot] ?? 0;
      if (found === 0) return 0;
      if (this.#parents[found] === node && this.#chars[found] === char) return found;
    }
  }

  parentOf = (node: number): number => this.#parents[node] ?? 0;
  /** The character of the edge that leads to a node. */
  charOf = (node: number): number => this.#chars[node] ?? 0;
  /** The characters from the root to a node. */
  depthOf = (node: number): number => this.#depths[node] ?? 0;

  /** All nodes but the root, those of shorter texts first (a counting sort by depth). */
  breadthFirst(): Int32Array {
    const starts: number[] = [0];
    for (let node = 1; node < this.size; node++) {
      const depth = this.depthOf(node);
      starts[depth] = (starts[depth] ?? 0) + 1;
    }
    for (let depth = 1; depth < starts.length; depth++) {
      starts[depth] = (starts[depth] ?? 0) + (starts[depth - 1] ?? 0);
    }
    const nodes = new Int32Array(this.size - 1);
    for (let node = 1; node < this.size; node++) {
      const before = this.depthOf(node) - 1;
      const place = starts[before] ?? 0;
      nodes[place] = node;
      starts[before] = place + 1;
    }
    return nodes;
  }

  #insert(parent: number, char: number): number {
    const node = this.#parents.push(parent) - 1;
    this.#chars.push(char);
    this.#depths.push(this.depthOf(parent) + 1);
    if (node * 2 > this.#slots.length) this.#grow();
    else this.#place(node);
    return node;
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let node = 1; node < this.size; node++) this.#place(node);
  }

  #place(node: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash(this.parentOf(node), this.charOf(node)) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = node;
  }
}

function hash(node: number, char: number): number {
  const mixed = Math.imul(node * 31 + char, FACTOR);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
