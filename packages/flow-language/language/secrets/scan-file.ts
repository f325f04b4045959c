import type { Context } from '../context.ts';
import { LIMITS } from '../limits.ts';
import type { Node, ScalarNode } from '../tree.ts';
import { findSecrets } from './secret-shapes.ts';
import { warnOfSecret } from './warn-of-secret.ts';

/**
 * Warns of texts that look like secrets, in the whole file: in values, keys, expressions and comments, because the
 * file is stored as it is. `root` is null for a file whose faults leave no tree.
 */
export function warnOfSecrets(root: Node | null, context: Context): void {
  const { text } = context;
  if (Buffer.byteLength(text) > LIMITS.textBytes) return;
  for (const { start, end, code } of findSecrets(text)) warnOfSecret(start, end, code, context);
  if (root) scanStrings(root, context, new Set());
}

/** Scans the strings that the file writes differently, with escapes or over several lines. */
function scanStrings(node: Node, context: Context, visited: Set<Node>): void {
  if (visited.has(node)) return; // an alias
  visited.add(node);
  if (node.kind === 'list') {
    for (const item of node.items) scanStrings(item, context, visited);
  } else if (node.kind === 'map') {
    for (const { value } of node.entries.values()) scanStrings(value, context, visited);
  } else if (typeof node.value === 'string' && !isWrittenAsIs(node, node.value, context)) {
    for (const { start, end, code } of findSecrets(node.value)) {
      const at = (index: number) => context.offsetIn(node, index);
      warnOfSecret(at(start), at(end), code, context);
    }
  }
}

const isWrittenAsIs = ({ start, end }: ScalarNode, value: string, { text }: Context): boolean =>
  text.slice(start, end).includes(value);
