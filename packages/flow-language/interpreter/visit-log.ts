/** The visits that tasks have made within one `try` or one branch, so that they can be taken back or made again. */
import type { Task } from '../plan.ts';

/** Estimated bytes of memory of one element of a log. */
export const LOGGED_VISIT_BYTES = 48;

export interface Visit {
  task: Task;
  iteration: string;
}

export class VisitLog {
  readonly outer: VisitLog | null;
  readonly #visits: Visit[] = [];

  constructor(outer: VisitLog | null) {
    this.outer = outer;
  }

  get size(): number {
    return this.#visits.length;
  }

  add(visit: Visit): void {
    this.#visits.push(visit);
  }

  list(): readonly Visit[] {
    return this.#visits;
  }

  /** Removes all visits and returns them. */
  clear(): Visit[] {
    return this.#visits.splice(0);
  }

  /** Hands the visits over to the log around this one. */
  close(): void {
    for (const visit of this.clear()) this.outer?.add(visit);
  }
}
