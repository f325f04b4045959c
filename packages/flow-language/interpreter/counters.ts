/**
 * Counts the visits and attempts of each task of a run, the `visit` and `attempt` of a position. Both numbers
 * depend on the plan and the journal alone, so that a replay counts the same.
 */
import type { Plan, Task } from '../plan.ts';
import { listsIn } from './names.ts';
import type { Position } from './position.ts';

/** Estimated bytes of memory of one counter in `#visits`. */
const VISIT_BYTES = 64;
/** Estimated bytes of memory of one element of `#raised`. */
const RAISED_BYTES = 48;
/** Estimated bytes of memory of one counter in `#retried`. */
const RETRIED_BYTES = 160;

interface Visit {
  task: Task;
  iteration: string;
}

export class Counters {
  /** The tasks whose visits are counted. Every other task is executed at most once in a round. */
  readonly #repeatable: ReadonlySet<Task>;
  /** The number of the last visit of each task, by iteration. */
  readonly #visits = new Map<Task, Map<string, number>>();
  /** The number of times that each visit was taken back, by iteration and visit number. */
  readonly #retried = new Map<Task, Map<string, number>>();
  /** The visits counted since the outermost `try` with retries began, the latest last. A retry takes them back. */
  readonly #raised: Visit[] = [];
  #tries = 0;
  #visitsKept = 0;
  #retriedKept = 0;

  constructor(plan: Plan) {
    this.#repeatable = new Set(listRepeatable(plan.tasks, false));
  }

  /** The estimated memory of all counters, in bytes. */
  get weight(): number {
    return (
      this.#visitsKept * VISIT_BYTES +
      this.#raised.length * RAISED_BYTES +
      this.#retriedKept * RETRIED_BYTES
    );
  }

  enter(task: Task, iteration: string): Position {
    const counting = this.#repeatable.has(task);
    const visit = counting ? this.#raiseVisit({ task, iteration }) : 1;
    const retried = counting ? this.#retried.get(task)?.get(`${iteration}/${visit}`) : 0;
    const attempt = 1 + (retried ?? 0);
    const { path, name } = task;
    const key = `${path}/${iteration}/${visit}/${attempt}`;
    return { path, name, iteration, visit, attempt, key };
  }

  /** Begins a `try`. Until `endTry`, `takeBack` with the returned moment takes back all visits made since. */
  beginTry(): number {
    this.#tries += 1;
    return this.#raised.length;
  }

  /** Takes back the visits since the moment: the visits of the next attempt get the same numbers again. */
  takeBack(moment: number): void {
    for (const { task, iteration } of this.#raised.splice(moment)) {
      const visit = this.#visits.get(task)?.get(iteration) ?? 1;
      this.#visits.get(task)?.set(iteration, visit - 1);
      if (raise(this.#retried, task, `${iteration}/${visit}`) === 1) this.#retriedKept += 1;
    }
  }

  endTry(): void {
    this.#tries -= 1;
    if (this.#tries === 0) this.#raised.length = 0;
  }

  #raiseVisit(visit: Visit): number {
    if (this.#tries > 0) this.#raised.push(visit);
    const known = this.#visits.get(visit.task)?.has(visit.iteration);
    if (!known) this.#visitsKept += 1;
    return raise(this.#visits, visit.task, visit.iteration);
  }
}

function raise(counts: Map<Task, Map<string, number>>, task: Task, key: string): number {
  const ofTask = counts.get(task) ?? new Map<string, number>();
  counts.set(task, ofTask);
  const count = (ofTask.get(key) ?? 0) + 1;
  ofTask.set(key, count);
  return count;
}

/** The tasks that a jump back or a retry can execute again in the same round. */
function listRepeatable(tasks: readonly Task[], repeated: boolean): Task[] {
  const again = repeated || hasJumpBack(tasks);
  return tasks.flatMap((task) => {
    const within = listsIn(task).flatMap((list) =>
      listRepeatable(list, again || (task.kind === 'try' && task.catch.retry !== undefined)),
    );
    return again ? [task, ...within] : within;
  });
}

function hasJumpBack(tasks: readonly Task[]): boolean {
  const indexes = new Map(tasks.map(({ name }, index) => [name, index]));
  return tasks.some((task, index) => {
    const targets = task.kind === 'switch' ? task.cases.map((one) => one.then) : [];
    return [...targets, task.then].some(
      (target) => target !== undefined && (indexes.get(target) ?? Infinity) <= index,
    );
  });
}
