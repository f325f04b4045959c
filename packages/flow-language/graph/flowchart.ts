import type { FlowDirective, Plan, Task } from '../plan.ts';
import { MermaidText, type Shape } from './mermaid-text.ts';
import { describeCatch, describeRetry, labelOf } from './task-label.ts';

/** The nodes at which the edges of a task begin and end. A task that raises an error is left by no edge. */
interface Ends {
  entry: string;
  exit: string | null;
}

/** A list of tasks: `exit` is the node behind its last task. */
interface ListPlace {
  exit: string;
}

type Composite = Extract<Task, { kind: 'do' | 'for' | 'fork' | 'try' }>;

const isComposite = (task: Task): task is Composite =>
  ['do', 'for', 'fork', 'try'].includes(task.kind);

const SHAPES: Partial<Record<Task['kind'], Shape>> = {
  switch: 'diamond',
  wait: 'round',
  listen: 'round',
};

/** How much of a plan is drawn. */
interface Detail {
  /** Levels of tasks within tasks. A task beyond it is one node, without the tasks in it. */
  levels: number;
  /** Tasks of one list, branches of one fork and cases of one switch. The rest is one node or is left out. */
  length: number;
}

/** The details by which a plan is drawn, until Mermaid draws the text with its default limits. */
const DETAILS: readonly Detail[] = [
  ...[10, 3, 2, 1, 0].map((levels) => ({ levels, length: Number.POSITIVE_INFINITY })),
  ...[200, 50, 20, 6].map((length) => ({ levels: 0, length })),
];

/** Draws the plan of a flow as a Mermaid flowchart. A plan that is too large for Mermaid is drawn with less detail. */
export function drawFlowchart({ tasks }: Plan): string {
  let text = new MermaidText();
  for (const detail of DETAILS) {
    text = new MermaidText();
    new Flowchart(text, detail).draw(tasks);
    if (text.isDrawable) break;
  }
  return text.toString();
}

class Flowchart {
  readonly #text: MermaidText;
  readonly #detail: Detail;
  #level = 0;
  #end = '';

  constructor(text: MermaidText, detail: Detail) {
    this.#text = text;
    this.#detail = detail;
  }

  draw(tasks: readonly Task[]): void {
    const start = this.#text.addNode('round', 'start');
    this.#end = this.#text.addNode('round', 'end');
    this.#drawList(tasks, start, { exit: this.#end });
  }

  /** Draws a list from the node before it to its exit. `then` of a task may name a sibling. */
  #drawList(tasks: readonly Task[], from: string, place: ListPlace, label?: string): void {
    const drawn = tasks
      .slice(0, this.#detail.length)
      .map((task) => ({ task, ends: this.#drawTask(task) }));
    const rest = this.#drawRest(tasks.length - drawn.length, place);
    const entries = new Map(drawn.map(({ task, ends }) => [task.name, ends.entry]));
    this.#text.addEdge(from, drawn[0]?.ends.entry ?? rest, label);
    for (const [at, { task, ends }] of drawn.entries()) {
      const next = drawn[at + 1]?.ends.entry ?? rest;
      const targetOf = (then: FlowDirective = 'continue'): string => {
        if (then === 'continue') return next;
        if (then === 'exit') return place.exit;
        return then === 'end' ? this.#end : (entries.get(then) ?? rest);
      };
      if (task.kind === 'switch') this.#leaveSwitch(task, ends.entry, targetOf);
      else if (ends.exit !== null) this.#text.addEdge(ends.exit, targetOf(task.then));
      this.#skip(task, ends, next, targetOf(task.then));
    }
  }

  /** Draws the tasks of a list that are left out as one node. Returns that node, or the exit of a list without such tasks. */
  #drawRest(omitted: number, { exit }: ListPlace): string {
    if (omitted <= 0) return exit;
    const rest = this.#text.addNode('box', `${omitted} more tasks`);
    this.#text.addEdge(rest, exit);
    return rest;
  }

  #leaveSwitch(
    task: Task & { kind: 'switch' },
    node: string,
    targetOf: (then?: FlowDirective) => string,
  ): void {
    for (const { name, when, then } of task.cases.slice(0, this.#detail.length)) {
      this.#text.addEdge(node, targetOf(then), when ? `${name}: ${when.source}` : name);
    }
    if (task.cases.some(({ when }) => !when)) return;
    this.#text.addEdge(node, targetOf(task.then), 'otherwise');
  }

  /** A skipped task goes on with the next one, whatever its `then` says. */
  #skip({ if: condition }: Task, { entry, exit }: Ends, next: string, target: string): void {
    const isDrawn = exit === entry && target === next;
    if (condition && !isDrawn) this.#text.addEdge(entry, next, 'skipped', '-.->');
  }

  #drawTask(task: Task): Ends {
    if (isComposite(task) && this.#level < this.#detail.levels) return this.#drawGroup(task);
    const entry = this.#text.addNode(SHAPES[task.kind] ?? 'box', ...labelOf(task));
    return { entry, exit: task.kind === 'raise' ? null : entry };
  }

  #drawGroup(task: Composite): Ends {
    this.#level += 1;
    const ends = this.#text.addGroup(labelOf(task), () => this.#drawComposite(task));
    this.#level -= 1;
    return ends;
  }

  #drawComposite(task: Composite): Ends {
    const entry = this.#text.addNode('point');
    const exit = this.#text.addNode('point');
    switch (task.kind) {
      case 'do':
        this.#drawList(task.tasks, entry, { exit });
        break;
      case 'for':
        this.#drawList(task.tasks, entry, { exit });
        this.#text.addEdge(exit, entry, roundOf(task), '-.->');
        break;
      case 'fork':
        for (const branch of task.branches) this.#drawList([branch], entry, { exit });
        break;
      case 'try':
        this.#drawList(task.tasks, entry, { exit });
        this.#drawCatch(task.catch, entry, exit);
    }
    return { entry, exit };
  }

  /** An error that is caught goes to the handler, or is swallowed without a handler and a retry. */
  #drawCatch(handler: (Task & { kind: 'try' })['catch'], entry: string, exit: string): void {
    const { retry, tasks } = handler;
    if (retry) this.#text.addEdge(entry, entry, describeRetry(retry), '-.->');
    const caught = describeCatch(handler);
    if (!tasks) {
      if (!retry) this.#text.addEdge(entry, exit, caught, '-.->');
      return;
    }
    const first = this.#text.addGroup(['catch'], () => {
      const begin = this.#text.addNode('point');
      this.#drawList(tasks, begin, { exit });
      return begin;
    });
    this.#text.addEdge(entry, first, caught, '-.->');
  }
}

const roundOf = ({ while: condition }: Task & { kind: 'for' }): string =>
  condition ? `next round while ${condition.source}` : 'next round';
