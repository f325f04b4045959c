import { type AstNode, childrenOf } from './jsonata-ast.ts';

/** A variable that an expression reads and may not bind itself. */
export interface Read {
  name: string;
  /** The index in the expression's source directly after the name, as JSONata counts. */
  position: number;
  /**
   * True when the expression has a binding of that name that may not be executed before the read (in a branch, in a
   * later function). Such a read is no fault, and still gets a flow variable of that name.
   */
  maybeOwn: boolean;
}

/** `$steps.<name>` read by an expression. */
export interface StepRead {
  name: string;
  position: number;
}

/** A JSONata frame: the expression itself, a block or a function body. */
interface Frame {
  parent: Frame | null;
  /** The names that are bound at the current node on every path. */
  sure: Set<string>;
  /** The names that are bound anywhere in this frame. */
  possible: ReadonlySet<string>;
}

/** Lists the variables that an expression reads and does not bind itself, by JSONata's rules of scope. */
export class VariableReader {
  readonly reads: Read[] = [];
  readonly stepReads: StepRead[] = [];
  /** `steps.<name>` without `$`, which reads the input. */
  readonly bareStepReads: StepRead[] = [];

  read(root: AstNode): void {
    this.#inFrame([root], [], null);
  }

  #inFrame(statements: readonly AstNode[], parameters: readonly string[], parent: Frame | null) {
    const possible = new Set<string>();
    for (const statement of statements) collectBindings(statement, possible);
    const frame = { parent, sure: new Set(parameters), possible };
    for (const statement of statements) this.#statement(statement, frame);
  }

  /** Visits a statement. A binding that is a statement itself is always executed before the next statement. */
  #statement(node: AstNode, frame: Frame): void {
    if (node.type !== 'bind') {
      this.#visit(node, frame);
      return;
    }
    if (node.rhs) this.#statement(node.rhs, frame);
    const name = boundName(node);
    if (name !== null) frame.sure.add(name);
  }

  #visit(node: AstNode, frame: Frame): void {
    if (node.type === 'variable') this.#variable(node, frame);
    if (node.type === 'block') {
      this.#inFrame(node.expressions ?? [], [], frame);
    } else if (node.type === 'lambda') {
      const parameters = (node.arguments ?? []).map((argument) => String(argument.value));
      this.#inFrame(node.body ? [node.body] : [], parameters, frame);
    } else if (node.type === 'path') {
      this.#path(node, frame);
      return;
    } else if (node.type === 'bind') {
      if (node.rhs) this.#visit(node.rhs, frame);
    } else {
      for (const child of ownChildren(node)) this.#visit(child, frame);
    }
    for (const child of attachments(node)) this.#visit(child, frame);
  }

  /** Visits a path. A variable that a step binds by `@$x` or `#$i` is bound for the rest of the path. */
  #path(node: AstNode, frame: Frame): void {
    const steps = node.steps ?? [];
    this.#noteStepRead(steps, frame);
    const within: Frame = { parent: frame, sure: new Set(), possible: new Set() };
    for (const step of steps) {
      for (const name of [step.focus, step.index, ...(step.stages ?? []).map(indexName)]) {
        if (typeof name === 'string') within.sure.add(name);
      }
      this.#visit(step, within);
    }
    for (const child of attachments(node)) this.#visit(child, within);
  }

  #noteStepRead([first, second]: readonly AstNode[], frame: Frame): void {
    if (first?.value !== 'steps' || first.predicate || second?.type !== 'name') return;
    if (first.type === 'name') {
      this.bareStepReads.push({ name: String(second.value), position: first.position ?? 0 });
    }
    if (first.type !== 'variable' || this.#isSurelyOwn('steps', frame)) return;
    this.stepReads.push({ name: String(second.value), position: second.position ?? 0 });
  }

  #variable(node: AstNode, frame: Frame): void {
    const name = String(node.value);
    // JSONata names `$` '' and `$$` '$'. Both are inputs and no variables.
    if (name === '' || name === '$' || this.#isSurelyOwn(name, frame)) return;
    let maybeOwn = false;
    for (let at: Frame | null = frame; at && !maybeOwn; at = at.parent) {
      maybeOwn = at.possible.has(name);
    }
    this.reads.push({ name, position: node.position ?? 0, maybeOwn });
  }

  #isSurelyOwn(name: string, frame: Frame): boolean {
    for (let at: Frame | null = frame; at; at = at.parent) {
      if (at.sure.has(name)) return true;
    }
    return false;
  }
}

/** Returns the predicates, stages and groupings of a node, which any node may have. */
function attachments(node: AstNode): AstNode[] {
  const grouped = node.group ? node.group.lhs.flat() : [];
  return [...(node.predicate ?? []), ...(node.stages ?? []), ...grouped];
}

function ownChildren(node: AstNode): AstNode[] {
  const attached = new Set(attachments(node));
  return childrenOf(node).filter((child) => !attached.has(child));
}

function indexName(stage: AstNode): unknown {
  return stage.type === 'index' ? stage.value : undefined;
}

function boundName(node: AstNode): string | null {
  const target = node.type === 'bind' ? node.lhs : null;
  return target && !Array.isArray(target) ? String(target.value) : null;
}

/** Collects the names bound in one frame. Blocks and function bodies have frames of their own. */
function collectBindings(node: AstNode, names: Set<string>): void {
  const name = boundName(node);
  if (name !== null) names.add(name);
  const isFrame = node.type === 'block' || node.type === 'lambda';
  for (const child of isFrame ? attachments(node) : childrenOf(node)) collectBindings(child, names);
}
