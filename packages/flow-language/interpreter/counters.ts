/**
 * Counts how often a run has come by each task: `visit` and `attempt` of its position. Both
 * follow from the plan and the journal alone, so that a replay counts the same.
 */
import type { Plan, Task } from '../plan.ts';
import { listsIn } from './names.ts';
import type { Position } from './position.ts';

/** About how many bytes of memory it takes to remember one visit, one to take back, one taken back. */
const VISIT_BYTES = 64;
const RAISED_BYTES = 48;
const RETRIED_BYTES = 160;

interface Visit {
  task: Task;
  iteration: string;
}

export class Counters {
  /** A task that a run comes to once a round needs no memory of where it was. */
  readonly #comingBack: ReadonlySet<Task>;
  /** The number of the last visit, by iteration. */
  readonly #visits = new Map<Task, Map<string, number>>();
  /** How often a visit was taken back, by iteration and number. */
  readonly #retried = new Map<Task, Map<string, number>>();
  /** Where the visits were raised, latest last, as long as a `try` may want to take them back. */
  readonly #raised: Visit[] = [];
  #tries = 0;
  #visitsKept = 0;
  #retriedKept = 0;

  constructor(plan: Plan) {
    this.#comingBack = new Set(comingBack(plan.tasks, false));
  }

  /** Bytes of memory. */
  get weight(): number {
    return (
      this.#visitsKept * VISIT_BYTES +
      this.#raised.length * RAISED_BYTES +
      this.#retriedKept * RETRIED_BYTES
    );
  }

  enter(task: Task, iteration: string): Position {
    const counting = this.#comingBack.has(task);
    const visit = counting ? this.#raiseVisit({ task, iteration }) : 1;
    const retried = counting ? this.#retried.get(task)?.get(`${iteration}/${visit}`) : 0;
    const attempt = 1 + (retried ?? 0);
    const { path, name } = task;
    const key = `${path}/${iteration}/${visit}/${attempt}`;
    return { path, name, iteration, visit, attempt, key };
  }

  /** From here on visits can be taken back to this moment, until `endTry`. */
  beginTry(): number {
    this.#tries += 1;
    return this.#raised.length;
  }

  /** Another attempt begins: its visits have the numbers that the last one's had. */
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
function comingBack(tasks: readonly Task[], repeated: boolean): Task[] {
  const again = repeated || jumpsBack(tasks);
  return tasks.flatMap((task) => {
    const within = listsIn(task).flatMap((list) =>
      comingBack(list, again || (task.kind === 'try' && task.catch.retry !== undefined)),
    );
    return again ? [task, ...within] : within;
  });
}

function jumpsBack(tasks: readonly Task[]): boolean {
  const indexes = new Map(tasks.map(({ name }, index) => [name, index]));
  return tasks.some((task, index) => {
    const targets = task.kind === 'switch' ? task.cases.map((one) => one.then) : [];
    return [...targets, task.then].some(
      (target) => target !== undefined && (indexes.get(target) ?? Infinity) <= index,
    );
  });
}
