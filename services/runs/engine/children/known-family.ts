import type { RunDocument } from '../../../../models/run.model.ts';
import type { ChildRun } from './child-runs.ts';

/** What an execution knows of the child runs of its run. Only the first execution of a run knows all of them. */
export class KnownFamily {
  readonly #isFirst: boolean;
  readonly #keys = new Set<string>();
  readonly #live = new Set<number>();
  /** Starts under way, and starts after whose failure a child run may be live. */
  #uncertain = 0;

  constructor({ fence, entries }: Pick<RunDocument, 'fence' | 'entries'>) {
    this.#isFirst = fence === 1 && entries === 0;
  }

  /** Whether the task may have a child run already. */
  mayHave(key: string): boolean {
    return !this.#isFirst || this.#keys.has(key);
  }

  /** Whether the run has no live child run, for certain. */
  get isOver(): boolean {
    return this.#isFirst && this.#uncertain === 0 && this.#live.size === 0;
  }

  async noteStart(key: string, start: () => Promise<ChildRun>): Promise<ChildRun> {
    this.#keys.add(key);
    this.#uncertain++; // and for ever after a failure
    const child = await start();
    this.#uncertain--;
    if (child.live) this.#live.add(child._id);
    return child;
  }

  /** Notes the end of the child run of a task, which does not ask for the child run again. */
  noteEnd(key: string, child: ChildRun): ChildRun {
    this.#keys.delete(key);
    this.#live.delete(child._id);
    return child;
  }
}
