import { isAlias, isMap, isScalar, isSeq, type ParsedNode, Scalar, type YAMLMap } from 'yaml';
import { type Faults, inQuotes, quote } from './faults.ts';
import { LIMITS, TOO_DEEP, TOO_MANY_CHARACTERS, TOO_MANY_NODES } from './limits.ts';
import type { Entry, ListNode, MapNode, Node, ScalarNode } from './tree.ts';
import { applyTag, isCoreTag, isTypeOfYaml, shortTag } from './yaml-tags.ts';

/** The size of a value after its aliases are followed. */
interface Size {
  nodes: number;
  characters: number;
  height: number;
}

interface BuiltNode extends Size {
  node: Node;
}

/**
 * Converts the nodes of `yaml` to `Node`s: without tags, with aliases followed (the same object, no copy), with unique
 * strings as keys. An alias adds the known size of its value, so that a bomb of aliases is counted without expanding it.
 */
export class TreeBuilder {
  readonly #text: string;
  readonly #tags: readonly number[];
  readonly #faults: Faults;
  /** The built value of each anchor; null while the anchored value itself is being built. */
  readonly #anchors = new Map<string, BuiltNode | null>();
  /** The values and the characters of the file so far, aliases followed. */
  readonly #seen = { nodes: 0, characters: 0 };
  #tooBig = false;
  /** The index in `#tags` of the first tag behind the latest tagged value. Values are built in the order of the text. */
  #nextTag = 0;

  constructor(text: string, tags: readonly number[], faults: Faults) {
    this.#text = text;
    this.#tags = tags;
    this.#faults = faults;
  }

  /** Builds the tree. Returns null when the value is over a limit, because such a tree must not be walked. */
  build(root: ParsedNode): Node | null {
    const { node } = this.#build(root);
    return this.#tooBig ? null : node;
  }

  /** Counts the values and characters of one place of the file. The place that passes a limit has the fault. */
  #count(at: number, nodes: number, characters: number, alias?: string): void {
    this.#seen.nodes += nodes;
    this.#seen.characters += characters;
    const repeats = alias === undefined ? '' : ` "*${alias}" repeats ${nodes} of them here.`;
    if (this.#seen.nodes > LIMITS.nodes) {
      this.#tooMuch(at, 'TOO_MANY_NODES', `${TOO_MANY_NODES}${repeats}`);
    }
    if (this.#seen.characters > LIMITS.characters) {
      this.#tooMuch(at, 'TOO_MANY_NODES', `${TOO_MANY_CHARACTERS}${repeats}`);
    }
  }

  #tooMuch(at: number, code: 'TOO_MANY_NODES' | 'TOO_DEEP', message: string): void {
    if (!this.#tooBig) this.#faults.add(at, code, message);
    this.#tooBig = true;
  }

  #build(source: ParsedNode): BuiltNode {
    if (isAlias(source)) return this.#follow(source.source, source.range);
    if (source.tag) this.#checkTag(source, source.tag);
    if (source.anchor) this.#anchors.set(source.anchor, null);
    const built = this.#buildByKind(source);
    if (source.anchor) this.#anchors.set(source.anchor, built);
    if (built.height > LIMITS.depth) this.#tooMuch(source.range[0], 'TOO_DEEP', TOO_DEEP);
    return built;
  }

  /** Reports a tag that is not one of YAML's core types, or that contradicts its value. */
  #checkTag(source: ParsedNode, tag: string): void {
    const [start, end] = source.range;
    const at = this.#tagStart(start);
    // A fault at the value's own start, such as one of its type, follows from the tag.
    const covers = { start: at, end: isScalar(source) ? Math.max(end, start + 1) : start + 1 };
    if (!isCoreTag(tag)) {
      this.#faults.add(at, 'CUSTOM_TAG', tagMessage(tag, this.#text.slice(at, end)), covers);
      return;
    }
    const wanted = applyTag(source, tag);
    if (wanted === null) return;
    const message = `The tag ${quote(shortTag(tag))} needs ${wanted}: leave the tag out, or change the value.`;
    this.#faults.add(at, 'WRONG_TYPE', message, covers);
  }

  /** Finds the offset of the tag of a value. */
  #tagStart(valueStart: number): number {
    let at = valueStart;
    for (; (this.#tags[this.#nextTag] ?? Infinity) <= valueStart; this.#nextTag += 1) {
      at = this.#tags[this.#nextTag] ?? valueStart;
    }
    return at;
  }

  #buildByKind(source: ParsedNode): BuiltNode {
    if (isMap(source)) return this.#map(source as YAMLMap.Parsed);
    if (isSeq(source)) {
      this.#count(source.range[0], 1, 0);
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
    if (built) {
      this.#count(start, built.nodes, built.characters, anchor);
      return built;
    }
    if (built === undefined) {
      const written = this.#text.slice(start, end);
      const message = `No anchor "&${anchor}" stands before this alias; for the text itself, put it in quotes: ${inQuotes(written)}.`;
      this.#faults.add(start, 'UNKNOWN_ALIAS', message, { start, end });
    } else {
      const message = `The value of "&${anchor}" would contain itself.`;
      this.#faults.add(start, 'CIRCULAR_ALIAS', message, { start, end });
    }
    return this.#leaf({ kind: 'scalar', value: null, start, end, block: false });
  }

  #map(source: YAMLMap.Parsed): BuiltNode {
    this.#count(source.range[0], 1, 0);
    const entries = new Map<string, Entry>();
    const values: BuiltNode[] = [];
    let characters = 0;
    for (const { key: keyNode, value } of source.items) {
      const keyStart = keyNode.range[0];
      const key = this.#key(keyNode, value?.range[1] ?? keyNode.range[1]);
      const built = value
        ? this.#build(value)
        : this.#leaf({
            kind: 'scalar',
            value: null,
            start: keyNode.range[1],
            end: keyNode.range[1],
            block: false,
          });
      values.push(built);
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

  /** Returns the text of a key. A key with a fault stays in its map, so that the map does not seem to lack it. */
  #key(source: ParsedNode, entryEnd: number): string {
    const seen = { ...this.#seen };
    const [start, end] = source.range;
    const written = this.#text.slice(start, end);
    const { node } = this.#build(source);
    // A key is no value of the file.
    Object.assign(this.#seen, seen);
    const isMerge = isScalar(source) && source.type === Scalar.PLAIN && source.value === '<<';
    const key = node.kind === 'scalar' && typeof node.value === 'string' ? node.value : null;
    const text = key ?? written;
    this.#count(start, 0, text.length);
    if (isMerge) {
      const message = 'Merge keys ("<<") are not allowed: write the keys out.';
      this.#faults.add(start, 'MERGE_KEY', message, { start, end: entryEnd });
    } else if (key === null && this.#text.slice(start - 1, start + 1) === '{{') {
      const inner = written.slice(1, -1).trim();
      const message = `"{{ }}" is no expression here: write ${inQuotes(`\${ ${inner} }`)}.`;
      this.#faults.add(start - 1, 'KEY_NOT_A_STRING', message, { start: start - 1, end: end + 1 });
    } else if (key === null) {
      const shown = node.kind === 'scalar' ? String(node.value) : `a ${node.kind}`;
      const message = `Keys are strings; this one is ${shown}. Put it in quotes.`;
      this.#faults.add(start, 'KEY_NOT_A_STRING', message, { start, end: entryEnd });
    }
    return text;
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
    return this.#leaf({ kind: 'scalar', value, start, end, block });
  }

  #leaf(node: ScalarNode): BuiltNode {
    const characters = typeof node.value === 'string' ? node.value.length : 0;
    this.#count(node.start, 1, characters);
    return { node, nodes: 1, characters, height: 0 };
  }
}

function tagMessage(tag: string, written: string): string {
  const text = written.split('\n', 1)[0] ?? '';
  let hint = `for the text itself put it in quotes: ${inQuotes(text.trim())}`;
  if (/^!\s*["']?\$/.test(text)) hint = `for the opposite write $not(...) inside \${ }`;
  else if (isTypeOfYaml(tag)) hint = 'leave it out';
  return `The tag ${quote(shortTag(tag))} isn't allowed, only YAML's core types are; ${hint}.`;
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
