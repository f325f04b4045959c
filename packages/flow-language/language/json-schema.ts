import type { Context } from './context.ts';
import { joinNames, quote } from './faults.ts';
import { DIALECT, KEYWORDS, type KeywordRule, TYPES } from './json-schema-keywords.ts';
import { checkReferences } from './json-schema-references.ts';
import { refuseLargeNumber } from './large-number.ts';
import { nearestName } from './nearest-name.ts';
import { isPatternTooLarge, PATTERN_TOO_LARGE } from './pattern.ts';
import { describe, type Entry, type MapNode, type Node, stringOf } from './tree.ts';

/** Reports the faults of a JSON Schema 2020-12, which must not refer to other documents. */
export function checkSchema(root: Node, context: Context): void {
  const isSound = new SchemaChecker(context).check(root);
  checkReferences(root, isSound, context);
}

type Check = (node: Node, checker: SchemaChecker) => string | null;

/** The check of each rule. It returns the expected value for a message; null when the value is valid or faults are added. */
const CHECKS: Readonly<Record<KeywordRule, Check>> = {
  schema: (node, checker) => checker.nested(node),
  'schema-list': (node, checker) => {
    if (node.kind !== 'list' || node.items.length === 0) return 'a list of schemas, not empty';
    for (const item of node.items) checker.nested(item);
    return null;
  },
  'schema-map': (node, checker) => checker.nestedMap(node),
  string: (node) => (stringOf(node) === null ? 'a string' : null),
  boolean: (node) => (isScalar(node, 'boolean') ? null : 'true or false'),
  number: (node) => (isScalar(node, 'number') ? null : 'a number'),
  positive: (node) => (numberOf(node) > 0 ? null : 'a number above 0'),
  count: (node) => {
    const count = numberOf(node);
    return Number.isInteger(count) && count >= 0 ? null : 'a whole number from 0';
  },
  names: (node) => (areUniqueStrings(node) ? null : 'a list of different strings'),
  'name-map': (node) =>
    isMapOf(node, areUniqueStrings) ? null : 'a map whose values are lists of different strings',
  list: (node, checker) => (node.kind === 'list' ? checker.value(node) : 'a list'),
  any: (node, checker) => checker.value(node),
  types: (node) => {
    const names = node.kind === 'list' ? node.items : [node];
    const known = names.every((name) => TYPES.includes(stringOf(name) ?? ''));
    const unique = node.kind !== 'list' || areUniqueStrings(node);
    return known && unique && names.length > 0 ? null : `one or some of ${joinNames(TYPES)}`;
  },
  pattern: (node) => {
    const pattern = stringOf(node);
    return pattern === null ? 'a string' : faultOfPattern(pattern);
  },
  'pattern-map': (node, checker) => {
    for (const { key, keyStart } of entriesOf(node)) {
      const fault = faultOfPattern(key);
      if (fault) checker.fault(keyStart, `The pattern ${quote(key)} must be ${fault}.`);
    }
    return checker.nestedMap(node);
  },
  reference: (node) => (stringOf(node) === null ? 'a string' : null),
  id: (node) => {
    const id = stringOf(node);
    return id !== null && /^[^#]*#?$/.test(id) && URL.canParse(id, 'https://schema.invalid/')
      ? null
      : 'a URI without a fragment';
  },
  anchor: (node) =>
    /^[A-Za-z_][-A-Za-z0-9._]*$/.test(stringOf(node) ?? '') ? null : 'a plain name',
  dialect: (node) =>
    stringOf(node)?.replace(/#$/, '') === DIALECT ? null : `${DIALECT}, the only dialect here`,
  vocabulary: (node) =>
    isMapOf(node, (value) => isScalar(value, 'boolean')) ? null : 'a map of true and false',
  unsupported: () => 'left out: it is not supported here',
};

class SchemaChecker {
  readonly #context: Context;
  #sound = true;
  #unknownCount = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Checks the schema and all schemas inside it. Returns whether they have no fault. */
  check(root: Node): boolean {
    this.nested(root);
    return this.#sound;
  }

  fault(offset: number, message: string): void {
    this.#sound = false;
    this.#context.fault(offset, 'SCHEMA_INVALID', message);
  }

  nested(node: Node): null {
    if (node.kind === 'map') {
      for (const entry of node.entries.values()) this.#keyword(entry);
    } else if (!isScalar(node, 'boolean')) {
      this.fault(node.start, `A JSON Schema is a map, true or false; this is ${describe(node)}.`);
    }
    return null;
  }

  nestedMap(node: Node): string | null {
    if (node.kind !== 'map') return 'a map of schemas';
    for (const { value } of node.entries.values()) this.nested(value);
    return null;
  }

  /** Checks a value that values are compared with, or that is shown. */
  value(node: Node): null {
    if (node.kind === 'list') for (const item of node.items) this.value(item);
    else if (node.kind === 'map') for (const { value } of node.entries.values()) this.value(value);
    else refuseLargeNumber(node, this.#context);
    return null;
  }

  /** Warns of a keyword that is probably misspelt. Other unknown keywords are annotations. */
  #unknown(key: string, keyStart: number): void {
    this.#unknownCount += 1;
    if (this.#unknownCount > MOST_UNKNOWN || ANNOTATIONS.has(key)) return;
    const nearest = nearestName(key, KEYWORDS.keys());
    if (nearest === undefined) return;
    const message = `${quote(key)} is no keyword of JSON Schema and checks nothing: did you mean "${nearest}"?`;
    this.#context.warn(keyStart, keyStart + 1, 'SCHEMA_DOUBTFUL', message);
  }

  #keyword({ key, keyStart, value }: Entry): void {
    const rule = KEYWORDS.get(key);
    if (rule === undefined) this.#unknown(key, keyStart);
    const fault = rule && CHECKS[rule](value, this);
    if (!fault) return;
    const at = rule === 'unsupported' ? keyStart : value.start;
    this.fault(at, `${quote(key)} in a JSON Schema must be ${fault}.`);
  }
}

/** Annotations of OpenAPI and of earlier versions of JSON Schema, which are near to keywords and meant. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['example', 'nullable', 'name']);
/** Unknown keywords of a schema that are compared with the known ones. Later ones get no warning. */
const MOST_UNKNOWN = 200;

/** Checks a pattern as the validator compiles it: as an ECMAScript regular expression with the flag `u`. */
function faultOfPattern(pattern: string): string | null {
  if (isPatternTooLarge(pattern)) return `a smaller regular expression: ${PATTERN_TOO_LARGE}`;
  try {
    new RegExp(pattern, 'u');
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    return `a regular expression (ECMAScript, Unicode): ${quote(reason).slice(1, -1)}`;
  }
}

function isScalar(node: Node, type: 'boolean' | 'number'): boolean {
  return node.kind === 'scalar' && typeof node.value === type;
}

function numberOf(node: Node): number {
  return node.kind === 'scalar' && typeof node.value === 'number' ? node.value : Number.NaN;
}

function areUniqueStrings(node: Node): boolean {
  if (node.kind !== 'list') return false;
  const strings = node.items.map(stringOf);
  return !strings.includes(null) && new Set(strings).size === strings.length;
}

function entriesOf(node: Node): Iterable<Entry> {
  return node.kind === 'map' ? (node as MapNode).entries.values() : [];
}

function isMapOf(node: Node, holds: (value: Node) => boolean): boolean {
  return node.kind === 'map' && [...entriesOf(node)].every(({ value }) => holds(value));
}
