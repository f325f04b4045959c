import type { ParentTask } from '../../../../models/run.model.ts';
import type { ChildRun } from './child-runs.ts';

/** Milliseconds for which the end of a child run is kept for its task, unless the run leaves the process before. */
const KEEP_MS = 1_000;

/** Child runs of a run that have ended in its process, by the keys of their tasks. */
export class EndedChildren {
  readonly #ended = new Map<string, { child: ChildRun; settle: (isTaken: boolean) => void }>();
  #hasNews = false;

  /** Keeps the child run for its task. Resolves whether the task has taken it; then nobody has to tell the task. */
  add(child: ChildRun & { parent: ParentTask }): Promise<boolean> {
    const { key } = child.parent;
    this.#hasNews = true;
    return new Promise((resolve) => {
      const settle = (isTaken: boolean) => {
        clearTimeout(timer);
        this.#ended.delete(key);
        this.#hasNews &&= this.#ended.size > 0;
        resolve(isTaken);
      };
      const timer = setTimeout(settle, KEEP_MS, false);
      this.#ended.set(key, { child, settle });
    });
  }

  /** Takes the ended child run of a task; null where its end is not known here. */
  take(key: string): ChildRun | null {
    const found = this.#ended.get(key);
    found?.settle(true);
    return found?.child ?? null;
  }

  /** Whether a child run has ended since the last call that no task has taken. */
  takeNews(): boolean {
    const hadNews = this.#hasNews;
    this.#hasNews = false;
    return hadNews;
  }

  /** Gives up the child runs whose tasks have not taken them, because the run leaves the process. */
  giveUp(): void {
    for (const { settle } of [...this.#ended.values()]) settle(false);
  }
}
