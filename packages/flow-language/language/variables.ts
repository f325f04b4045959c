import { type AstNode, childrenOf } from './jsonata-ast.ts';

/** A variable that an expression takes from outside itself. */
export interface Read {
  name: string;
  /** Index in the expression's source, just behind the name: JSONata's own convention. */
  position: number;
  /**
   * A binding of that name exists in reach, but need not have happened yet (a branch, a function
   * written further down). No fault then; a flow variable of that name is still needed.
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
  /** Bound by now, whatever path was taken. */
  sure: Set<string>;
  /** Bound somewhere in this frame. */
  possible: ReadonlySet<string>;
}

/** Follows JSONata's scoping: what does an expression read that it doesn't bind itself? */
export class VariableReader {
  readonly reads: Read[] = [];
  readonly stepReads: StepRead[] = [];

  read(root: AstNode): void {
    this.#inFrame([root], [], null);
  }

  #inFrame(statements: readonly AstNode[], parameters: readonly string[], parent: Frame | null) {
    const possible = new Set<string>();
    for (const statement of statements) collectBindings(statement, possible);
    const frame = { parent, sure: new Set(parameters), possible };
    for (const statement of statements) this.#statement(statement, frame);
  }

  /** A binding that stands as a statement surely happens before the next statement. */
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

  /** What a step binds with `@$x` or `#$i` is there for the rest of its path. */
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
    if (first?.type !== 'variable' || first.value !== 'steps' || first.predicate) return;
    if (second?.type !== 'name' || this.#isSurelyOwn('steps', frame)) return;
    this.stepReads.push({ name: String(second.value), position: second.position ?? 0 });
  }

  #variable(node: AstNode, frame: Frame): void {
    const name = String(node.value);
    // `$` is the input here, `$$` the outermost one.
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

/** Predicates and groupings hang on any node. */
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

/** The names bound in one frame: blocks and function bodies have frames of their own. */
function collectBindings(node: AstNode, names: Set<string>): void {
  const name = boundName(node);
  if (name !== null) names.add(name);
  const isFrame = node.type === 'block' || node.type === 'lambda';
  for (const child of isFrame ? attachments(node) : childrenOf(node)) collectBindings(child, names);
}
