/**
 * Counts how often a run has come by each task: `visit` and `attempt` of its position. Both
 * follow from the plan and the journal alone, so that a replay counts the same.
 */
import type { Plan, Task } from '../plan.ts';
import { listsIn } from './names.ts';
import type { Position } from './position.ts';

export class Counters {
  /** A plan that never comes back to a task needs no memory of where it was. */
  readonly #counting: boolean;
  readonly #visits = new Map<string, number>();
  readonly #attempts = new Map<string, number>();
  /** Where the visits were raised, latest last, as long as a `try` may want to take them back. */
  readonly #raised: string[] = [];
  #tries = 0;

  constructor(plan: Plan) {
    this.#counting = comesBack(plan.tasks);
  }

  enter(task: Task, iteration: string): Position {
    const place = `${task.path}/${iteration}`;
    const visit = this.#counting ? this.#raiseVisit(place) : 1;
    const attempt = this.#counting ? raise(this.#attempts, `${place}/${visit}`) : 1;
    const { path, name } = task;
    return { path, name, iteration, visit, attempt, key: `${place}/${visit}/${attempt}` };
  }

  /** From here on visits can be taken back to this moment, until `endTry`. */
  beginTry(): number {
    this.#tries += 1;
    return this.#raised.length;
  }

  /** Another attempt begins: its visits have the numbers that the last one's had. */
  takeBack(moment: number): void {
    for (const place of this.#raised.splice(moment)) {
      this.#visits.set(place, (this.#visits.get(place) ?? 1) - 1);
    }
  }

  endTry(): void {
    this.#tries -= 1;
    if (this.#tries === 0) this.#raised.length = 0;
  }

  #raiseVisit(place: string): number {
    if (this.#tries > 0) this.#raised.push(place);
    return raise(this.#visits, place);
  }
}

function raise(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}

/** Whether a jump back or a retry can execute a task of the list again in the same round. */
function comesBack(tasks: readonly Task[]): boolean {
  const indexes = new Map(tasks.map(({ name }, index) => [name, index]));
  return tasks.some((task, index) => {
    if (task.kind === 'try' && task.catch.retry) return true;
    const targets = task.kind === 'switch' ? task.cases.map((one) => one.then) : [];
    const jumpsBack = [...targets, task.then].some(
      (target) => target !== undefined && (indexes.get(target) ?? Infinity) <= index,
    );
    return jumpsBack || listsIn(task).some(comesBack);
  });
}
