/**
 * `$error` is a variable of the flow language and a function of JSONata. Where it is called it stays
 * the function; elsewhere it is the variable, which goes by a name of its own that no text can write.
 */
import { type AstNode, childrenOf } from '../../../language/jsonata-ast.ts';

const OF_THE_FLOW = 'error of the flow';

/**
 * Tells the two apart in a syntax tree. Returns the name by which the tree reads the variable; null when
 * it doesn't. An expression that binds an `$error` itself keeps the name, and then both are that one.
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
