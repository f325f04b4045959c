import type { ParentTask } from '../../../../models/run.model.ts';
import type { ChildRun } from './child-runs.ts';

/** Milliseconds for which an ended child run is kept for its task. A task that sleeps takes it at once. */
const KEEP_MS = 50;

/** Child runs that have ended in the process of their parent run, by the keys of their tasks. */
export class EndedChildren {
  readonly #ended = new Map<string, { child: ChildRun; taken: () => void }>();

  /** Keeps the child run for its task. Resolves whether the task has taken it; then nobody has to tell the task. */
  add(child: ChildRun & { parent: ParentTask }): Promise<boolean> {
    const { key } = child.parent;
    return new Promise((resolve) => {
      const end = (isTaken: boolean) => {
        clearTimeout(timer);
        this.#ended.delete(key);
        resolve(isTaken);
      };
      const timer = setTimeout(end, KEEP_MS, false);
      this.#ended.set(key, { child, taken: () => end(true) });
    });
  }

  /** Takes the ended child run of a task; null where its end is not known here. */
  take(key: string): ChildRun | null {
    const found = this.#ended.get(key);
    found?.taken();
    return found?.child ?? null;
  }
}
