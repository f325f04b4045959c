import { isAlias, isMap, isScalar, isSeq, type ParsedNode, Scalar, type YAMLMap } from 'yaml';
import { type Faults, quote } from './faults.ts';
import { LIMITS, TOO_DEEP, TOO_MANY_NODES } from './limits.ts';
import type { Entry, ListNode, MapNode, Node, ScalarNode } from './tree.ts';

/** The size of a value after its aliases are followed. */
interface Size {
  nodes: number;
  characters: number;
  height: number;
}

interface BuiltNode extends Size {
  node: Node;
}

const CORE = 'tag:yaml.org,2002:';
const CORE_TAGS = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => CORE + name),
);

/**
 * Converts the nodes of `yaml` to `Node`s: without tags, with aliases followed (the same object, no copy), with unique
 * strings as keys. Sizes are added up from the leaves, so that a bomb of aliases is counted without expanding it.
 */
export class TreeBuilder {
  readonly #text: string;
  readonly #faults: Faults;
  /** The built value of each anchor; null while the anchored value itself is being built. */
  readonly #anchors = new Map<string, BuiltNode | null>();
  #tooBig = false;

  constructor(text: string, faults: Faults) {
    this.#text = text;
    this.#faults = faults;
  }

  /** Builds the tree. Returns null when the value is over a limit, because such a tree must not be walked. */
  build(root: ParsedNode): Node | null {
    const { node, nodes, characters } = this.#build(root);
    if (nodes > LIMITS.nodes) this.#tooMuch(root, 'TOO_MANY_NODES', TOO_MANY_NODES);
    if (characters > LIMITS.characters) {
      const message = `Keys and strings (aliases followed) are over ${LIMITS.characters} characters.`;
      this.#tooMuch(root, 'TOO_MANY_NODES', message);
    }
    return this.#tooBig ? null : node;
  }

  #tooMuch(at: ParsedNode, code: 'TOO_MANY_NODES' | 'TOO_DEEP', message: string): void {
    if (!this.#tooBig) this.#faults.add(at.range[0], code, message);
    this.#tooBig = true;
  }

  #build(source: ParsedNode): BuiltNode {
    if (isAlias(source)) return this.#follow(source.source, source.range);
    if (source.tag && !CORE_TAGS.has(source.tag)) {
      const tag = quote(source.tag.replace(CORE, '!!'));
      const message = `The tag ${tag} isn't allowed; only YAML's core types are.`;
      this.#faults.add(this.#tagStart(source.range[0]), 'CUSTOM_TAG', message);
    }
    if (source.anchor) this.#anchors.set(source.anchor, null);
    const built = this.#buildByKind(source);
    if (source.anchor) this.#anchors.set(source.anchor, built);
    if (built.height > LIMITS.depth) this.#tooMuch(source, 'TOO_DEEP', TOO_DEEP);
    return built;
  }

  /** Finds the offset of a tag from the offset of its value, because `yaml` keeps only the latter. */
  #tagStart(valueStart: number): number {
    const before = this.#text.slice(Math.max(0, valueStart - 200), valueStart);
    const tag = /!\S*\s*(?:&\S+\s*)?$/.exec(before);
    return valueStart - (tag?.[0].length ?? 0);
  }

  #buildByKind(source: ParsedNode): BuiltNode {
    if (isMap(source)) return this.#map(source as YAMLMap.Parsed);
    if (isSeq(source)) {
      const items = source.items.map((item) => this.#build(item as ParsedNode));
      const node: ListNode = {
        kind: 'list',
        items: items.map((item) => item.node),
        start: source.range[0],
      };
      return { node, ...total(items, 0) };
    }
    return this.#scalar(source as Scalar.Parsed);
  }

  #follow(anchor: string, [start, end]: readonly [number, number, number]): BuiltNode {
    const built = this.#anchors.get(anchor);
    if (built) return built;
    if (built === undefined) {
      this.#faults.add(start, 'UNKNOWN_ALIAS', `No anchor "&${anchor}" stands before this alias.`);
    } else {
      this.#faults.add(start, 'CIRCULAR_ALIAS', `The value of "&${anchor}" would contain itself.`);
    }
    return leaf({ kind: 'scalar', value: null, start, end, block: false });
  }

  #map(source: YAMLMap.Parsed): BuiltNode {
    const entries = new Map<string, Entry>();
    const values: BuiltNode[] = [];
    let characters = 0;
    for (const { key: keyNode, value } of source.items) {
      const keyStart = keyNode.range[0];
      const key = this.#key(keyNode);
      const built = value
        ? this.#build(value)
        : leaf({
            kind: 'scalar',
            value: null,
            start: keyNode.range[1],
            end: keyNode.range[1],
            block: false,
          });
      values.push(built);
      if (key === null) continue;
      characters += key.length;
      if (entries.has(key)) {
        this.#faults.add(
          keyStart,
          'DUPLICATE_KEY',
          `The key ${quote(key)} is given twice in one map.`,
        );
        continue;
      }
      entries.set(key, { key, keyStart, value: built.node });
    }
    if (source.items.length > LIMITS.keysInOneMap) {
      const message = `A map has ${source.items.length} keys; at most ${LIMITS.keysInOneMap} are allowed.`;
      this.#faults.add(source.range[0], 'TOO_MANY_KEYS', message);
    }
    const node: MapNode = { kind: 'map', entries, start: source.range[0] };
    return { node, ...total(values, characters) };
  }

  #key(source: ParsedNode): string | null {
    if (isScalar(source) && source.type === Scalar.PLAIN && source.value === '<<') {
      const message = 'Merge keys ("<<") are not allowed: write the keys out.';
      this.#faults.add(source.range[0], 'MERGE_KEY', message);
      return null;
    }
    const { node } = this.#build(source);
    if (node.kind === 'scalar' && typeof node.value === 'string') return node.value;
    const shown = node.kind === 'scalar' ? String(node.value) : `a ${node.kind}`;
    const message = `Keys are strings; this one is ${shown}. Put it in quotes.`;
    this.#faults.add(source.range[0], 'KEY_NOT_A_STRING', message);
    return null;
  }

  #scalar(source: Scalar.Parsed): BuiltNode {
    const [start, end] = source.range;
    const block = source.type === Scalar.BLOCK_LITERAL || source.type === Scalar.BLOCK_FOLDED;
    const value = source.value as ScalarNode['value'];
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.#faults.add(
        start,
        'NUMBER_NOT_FINITE',
        `${quote(source.source)} isn't a finite number.`,
      );
    }
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      const message = 'This string has a NUL character or half of a surrogate pair.';
      this.#faults.add(start, 'TEXT_INVALID', message);
    }
    return leaf({ kind: 'scalar', value, start, end, block });
  }
}

function leaf(node: ScalarNode): BuiltNode {
  const characters = typeof node.value === 'string' ? node.value.length : 0;
  return { node, nodes: 1, characters, height: 0 };
}

function total(parts: readonly Size[], characters: number): Size {
  const size: Size = { nodes: 1, characters, height: 0 };
  for (const part of parts) {
    size.nodes += part.nodes;
    size.characters += part.characters;
    size.height = Math.max(size.height, part.height);
  }
  size.height += 1;
  return size;
}
