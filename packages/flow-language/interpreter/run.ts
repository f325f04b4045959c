/** One interpretation of a run: what changes while its tasks are followed. */
import { setImmediate } from 'node:timers/promises';
import type { Plan } from '../plan.ts';
import { Counters } from './counters.ts';
import { type Deadline, deadlineAt } from './deadline.ts';
import type { Host, Performed, Value } from './host.ts';
import { Usage } from './limits.ts';
import { FlowError } from './problem.ts';
import { Aborted, DeadlinePassed } from './unwind.ts';

/** Milliseconds between two pauses, in which the service's other work gets its turn. */
const TURN_MS = 5;

export class Run {
  readonly host: Host;
  readonly counters: Counters;
  readonly usage = new Usage();
  readonly deadline: Deadline;
  /** By the monotonic clock, which decides nothing that a flow could see. */
  #turnBegan = performance.now();
  /** `$steps`. */
  readonly steps: Record<string, NonNullable<Value> | null> = Object.create(null);
  /** `$context`. */
  context: NonNullable<Value> | null = {};
  /**
   * The run's time in milliseconds since the epoch: that of its last journal entry or of the end
   * of its last retry delay. No clock is read, so that a replay sees the same.
   */
  now: number;

  constructor(plan: Plan, host: Host) {
    this.host = host;
    this.counters = new Counters(plan);
    this.deadline = deadlineAt(host.deadline);
    this.now = Date.parse(host.run.startedAt);
  }

  /** Before each task. Throws when the run has no business going on. */
  async takeTurn(): Promise<void> {
    this.usage.countTask();
    if (performance.now() - this.#turnBegan > TURN_MS) {
      await setImmediate();
      this.#turnBegan = performance.now();
    }
    this.checkAborted();
    if (this.host.now() >= this.deadline.at) throw new DeadlinePassed(this.deadline);
  }

  /** Journals a failure of pure work that may not happen again, and throws it. */
  async failNoted(key: string, { problem }: FlowError): Promise<never> {
    this.usage.checkRoom();
    const completedAt = Math.max(this.now, this.host.now());
    const failed: Performed = { kind: 'failed', problem, completedAt };
    await this.abortable(this.host.note(key, failed));
    return this.#failAs(failed);
  }

  /** Throws the failure that was noted under the key, if there is one. */
  meetNoted(key: string): void {
    const noted = this.host.recall(key);
    if (noted?.kind === 'failed') this.#failAs(noted);
  }

  #failAs({ problem, completedAt }: Extract<Performed, { kind: 'failed' }>): never {
    this.now = Math.max(this.now, completedAt);
    this.usage.countOutput({ ...problem });
    throw new FlowError(problem);
  }

  checkAborted(): void {
    if (this.host.signal.aborted) throw new Aborted();
  }

  /** Throws as soon as the signal is aborted, whatever becomes of the work. */
  async abortable<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.host;
    let onAbort: () => void = () => undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(new Aborted());
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      this.checkAborted();
      return await Promise.race([work, aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  setStep(name: string, output: Value): void {
    if (output === undefined) delete this.steps[name];
    else this.steps[name] = output;
  }
}
