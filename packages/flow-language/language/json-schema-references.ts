import { dereference } from '@cfworker/json-schema';
import type { Context } from './context.ts';
import { quote } from './faults.ts';
import { findChainFault, type SchemaObject } from './json-schema-chains.ts';
import type { Node } from './tree.ts';
import { stringOf, toJson } from './tree.ts';

/**
 * Checks that every `$ref` leads to a place in the same schema, by the table in which the validator looks references
 * up. Nothing is fetched. When `isSound` is false, the schema has faults already and gets no fault of its chains.
 */
export function checkReferences(root: Node, isSound: boolean, context: Context): void {
  const schema = toJson(root);
  if (schema === null || typeof schema !== 'object') return;
  try {
    const known = dereference(schema as Parameters<typeof dereference>[0]);
    const checker = new ReferenceChecker(known, context);
    checker.visit(root, schema);
    const chain = isSound ? findChainFault(known) : null;
    if (chain) {
      const at = checker.placeOf(chain.schema) ?? root;
      context.fault(at, 'SCHEMA_INVALID', chain.message);
    }
  } catch (error) {
    if (!isSound) return;
    const reason = error instanceof Error ? error.message : 'its identifiers are in conflict';
    context.fault(root, 'SCHEMA_INVALID', `This JSON Schema can't be used: ${reason}`);
  }
}

class ReferenceChecker {
  readonly #known: Readonly<Record<string, unknown>>;
  readonly #context: Context;
  readonly #places = new Map<unknown, Node>();

  constructor(known: Readonly<Record<string, unknown>>, context: Context) {
    this.#known = known;
    this.#context = context;
  }

  /** Walks the tree, which has the places in the file, together with its plain value, which has the resolved references. */
  visit(node: Node, twin: unknown): void {
    this.#places.set(twin, node);
    if (node.kind === 'list' && Array.isArray(twin)) {
      for (const [i, item] of node.items.entries()) this.visit(item, twin[i]);
    } else if (node.kind === 'map' && twin && typeof twin === 'object') {
      const schema = twin as SchemaObject;
      const reference = node.entries.get('$ref');
      if (reference && schema.__absolute_ref__ !== undefined) {
        this.#check(reference.value, schema.__absolute_ref__);
      }
      for (const { key, value } of node.entries.values()) this.visit(value, schema[key]);
    }
  }

  placeOf(twin: unknown): Node | undefined {
    return this.#places.get(twin);
  }

  #check(node: Node, target: string): void {
    if (target in this.#known) return;
    const shown = quote(stringOf(node) ?? '');
    if (stringOf(node)?.startsWith('#')) {
      const message = `"$ref" ${shown} leads nowhere in this schema.`;
      this.#context.fault(node, 'SCHEMA_INVALID', message);
    } else {
      const message = `"$ref" ${shown} leads outside this schema; nothing is fetched.`;
      this.#context.fault(node, 'SCHEMA_REMOTE_REF', message);
    }
  }
}
