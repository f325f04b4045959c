/** A node of the syntax tree that JSONata's parser (2.2.2) makes. JSONata's published type lacks half of the fields. */
export interface AstNode {
  type: string;
  value?: unknown;
  position?: number;
  /** Variables that a step binds: `@$x` and `#$i`. */
  focus?: string;
  index?: string;
  steps?: AstNode[];
  expressions?: AstNode[];
  arguments?: AstNode[];
  procedure?: AstNode;
  body?: AstNode;
  condition?: AstNode;
  then?: AstNode;
  else?: AstNode;
  pattern?: AstNode;
  update?: AstNode;
  delete?: AstNode;
  expression?: AstNode;
  /** A node, or the key and value pairs of an object constructor. */
  lhs?: AstNode | [AstNode, AstNode][];
  rhs?: AstNode;
  expr?: AstNode;
  terms?: AstNode[];
  predicate?: AstNode[];
  stages?: AstNode[];
  group?: { lhs: [AstNode, AstNode][] };
}

const SINGLE = [
  'expr',
  'expression',
  'lhs',
  'rhs',
  'procedure',
  'condition',
  'then',
  'else',
  'pattern',
  'update',
  'delete',
  'body',
] as const;
const LISTS = ['arguments', 'expressions', 'steps', 'terms', 'predicate', 'stages'] as const;

/** Returns the nodes directly below a node, in the order in which they are evaluated. */
export function childrenOf(node: AstNode): AstNode[] {
  const children: AstNode[][] = [];
  for (const key of SINGLE) {
    const child = node[key];
    if (Array.isArray(child)) children.push(child.flat());
    else if (child) children.push([child]);
  }
  // The arguments of a lambda are the names of parameters and no reads of variables.
  for (const key of LISTS) {
    if (node.type !== 'lambda' || key !== 'arguments') children.push(node[key] ?? []);
  }
  if (node.group) children.push(node.group.lhs.flat());
  return children.flat();
}
