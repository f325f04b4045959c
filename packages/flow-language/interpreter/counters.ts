/**
 * Counts the visits and attempts of each task of a run, the `visit` and `attempt` of a position. Both numbers
 * depend on the plan and the journal alone, so that a replay counts the same.
 */
import type { Plan, Task } from '../plan.ts';
import { listsIn } from './names.ts';
import { type Position, positionOf } from './position.ts';
import { LOGGED_VISIT_BYTES, type Visit, type VisitLog } from './visit-log.ts';

/** Estimated bytes of memory of one counter in `#visits`. */
const VISIT_BYTES = 64;
/** Estimated bytes of memory of one counter in `#retried`. */
const RETRIED_BYTES = 160;

/** A count of one task: by iteration, or by iteration and visit number. */
export type Count = readonly [path: string, of: string, count: number];

export class Counters {
  /** The tasks whose visits are counted, by path. Every other task is executed at most once in a round. */
  readonly #repeatable: ReadonlyMap<string, Task>;
  /** The number of the last visit of each task, by iteration. */
  readonly #visits = new Map<Task, Map<string, number>>();
  /** The number of times that each visit was taken back, by iteration and visit number. */
  readonly #retried = new Map<Task, Map<string, number>>();
  #visitsKept = 0;
  #retriedKept = 0;
  #logged = 0;

  constructor(plan: Plan) {
    this.#repeatable = new Map(listRepeatable(plan.tasks, false).map((task) => [task.path, task]));
  }

  /** The estimated memory of all counters, in bytes. */
  get weight(): number {
    return (
      this.#visitsKept * VISIT_BYTES +
      this.#logged * LOGGED_VISIT_BYTES +
      this.#retriedKept * RETRIED_BYTES
    );
  }

  /** Counts a visit. `log` is that of the innermost `try` or branch around the task. */
  enter(task: Task, iteration: string, log: VisitLog | null): Position {
    const counting = this.#repeatable.has(task.path);
    const visit = counting ? this.visit({ task, iteration }, log) : 1;
    const retried = counting ? this.#retried.get(task)?.get(`${iteration}/${visit}`) : 0;
    const attempt = 1 + (retried ?? 0);
    return positionOf(task, iteration, visit, attempt);
  }

  /** Counts a visit, and returns its number. */
  visit(visit: Visit, log: VisitLog | null): number {
    if (log) {
      log.add(visit);
      this.#logged += 1;
    }
    const { task, iteration } = visit;
    if (!this.#visits.get(task)?.has(iteration)) this.#visitsKept += 1;
    return raise(this.#visits, task, iteration);
  }

  /** Takes back the visits of the log: the visits of the next attempt get the same numbers again. */
  takeBack(log: VisitLog): void {
    for (const { task, iteration } of log.clear()) {
      this.#logged -= 1;
      const visit = this.#visits.get(task)?.get(iteration) ?? 1;
      this.#visits.get(task)?.set(iteration, visit - 1);
      this.#raiseRetried(task, `${iteration}/${visit}`);
    }
  }

  /** Removes the visits of the log, as if they had never been made. */
  forget(log: VisitLog): void {
    for (const { task, iteration } of log.clear()) {
      this.#logged -= 1;
      const visits = this.#visits.get(task);
      visits?.set(iteration, (visits.get(iteration) ?? 1) - 1);
    }
  }

  /** Hands the visits of a log to the log around it, or forgets them where nothing can take them back. */
  close(log: VisitLog): void {
    if (!log.outer) this.#logged -= log.size;
    log.close();
  }

  #raiseRetried(task: Task, of: string, by = 1): void {
    if (!this.#retried.get(task)?.has(of)) this.#retriedKept += 1;
    raise(this.#retried, task, of, by);
  }

  /** Lists the visits of a log. */
  countsOf(log: VisitLog): Count[] {
    const counts = new Map<Task, Map<string, number>>();
    for (const { task, iteration } of log.list()) raise(counts, task, iteration);
    return listCounts(counts);
  }

  /** Makes the listed visits again. */
  repeat(counts: readonly Count[], log: VisitLog | null): void {
    for (const [path, iteration, count] of counts) {
      const task = this.#taskAt(path);
      for (let made = 0; made < count; made++) this.visit({ task, iteration }, log);
    }
  }

  /** Fills a log with visits that are counted already. */
  loadLog(counts: readonly Count[], log: VisitLog): void {
    for (const [path, iteration, count] of counts) {
      const task = this.#taskAt(path);
      for (let made = 0; made < count; made++) log.add({ task, iteration });
      this.#logged += count;
    }
  }

  /** Lists the counts of the tasks taken back whose path and iteration `isWithin` accepts. */
  retriedCounts(isWithin: (path: string, iteration: string) => boolean = () => true): Count[] {
    return listCounts(this.#retried).filter(([path, of]) => isWithin(path, iterationIn(of)));
  }

  /** Sets counts of `retriedCounts`, which are never lower than those here. */
  setRetried(counts: readonly Count[]): void {
    for (const [path, of, count] of counts) {
      const task = this.#taskAt(path);
      this.#raiseRetried(task, of, count - (this.#retried.get(task)?.get(of) ?? 0));
    }
  }

  /** All counts of visits, for a checkpoint. */
  get visitCounts(): Count[] {
    return listCounts(this.#visits);
  }

  #taskAt(path: string): Task {
    const task = this.#repeatable.get(path);
    if (!task) throw new Error(`the plan has no task ${path} that can be repeated`);
    return task;
  }
}

type Counts = Map<Task, Map<string, number>>;

const iterationIn = (of: string): string => of.slice(0, of.lastIndexOf('/'));

function listCounts(counts: Counts): Count[] {
  return [...counts].flatMap(([{ path }, byKey]) =>
    [...byKey].filter(([, n]) => n > 0).map(([of, n]): Count => [path, of, n]),
  );
}

function raise(counts: Counts, task: Task, key: string, by = 1): number {
  const ofTask = counts.get(task) ?? new Map<string, number>();
  counts.set(task, ofTask);
  const count = (ofTask.get(key) ?? 0) + by;
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
