/**
 * `$error` is a variable of the flow language and a function of JSONata. A call of `$error` stays the function; every
 * other `$error` becomes a variable with another name, which no expression can contain.
 */
import { type AstNode, childrenOf } from '../../../language/jsonata-ast.ts';

const OF_THE_FLOW = 'error of the flow';

/**
 * Renames the flow's `$error` in a syntax tree. Returns the name by which the tree reads the variable, or null when
 * the tree does not read it. In an expression that binds an `$error` of its own, nothing is renamed.
 */
export function nameErrorVariable(root: AstNode): string | null {
  const reads: AstNode[] = [];
  let isBound = false;
  const rest = [{ node: root, isCalled: false }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { node, isCalled } = next;
    if (node.type === 'variable' && node.value === 'error' && !isCalled) reads.push(node);
    isBound ||= bindsError(node);
    for (const child of childrenOf(node)) {
      rest.push({ node: child, isCalled: child === node.procedure });
    }
  }
  if (reads.length === 0) return null;
  if (isBound) return 'error';
  for (const read of reads) read.value = OF_THE_FLOW;
  return OF_THE_FLOW;
}

function bindsError({ type, value, lhs, arguments: parameters, focus, index }: AstNode): boolean {
  if (focus === 'error' || index === 'error') return true;
  if (type === 'index') return value === 'error';
  if (type === 'bind') return !Array.isArray(lhs) && lhs?.value === 'error';
  return type === 'lambda' && (parameters ?? []).some((parameter) => parameter.value === 'error');
}
