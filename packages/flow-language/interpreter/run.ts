/** One interpretation of a run: what changes while its tasks are followed. */
import { setImmediate } from 'node:timers/promises';
import type { Plan } from '../plan.ts';
import { Counters } from './counters.ts';
import { type Deadline, deadlineAt } from './deadline.ts';
import { Held } from './held.ts';
import type { Host, Note, Performed } from './host.ts';
import { JsonText, Texts } from './json-text.ts';
import { checkWeight, Usage } from './limits.ts';
import { FlowError } from './problem.ts';
import { Aborted, DeadlinePassed } from './unwind.ts';

/** Milliseconds between two pauses, in which the service's other work gets its turn. */
const TURN_MS = 5;

export class Run {
  readonly host: Host;
  readonly counters: Counters;
  readonly usage = new Usage();
  readonly deadline: Deadline;
  /** What lies about in memory. */
  readonly held = new Held();
  /** Each rejects a wait of the run. */
  readonly #abortables = new Set<(error: Aborted) => void>();
  /** By the monotonic clock, which decides nothing that a flow could see. */
  #turnBegan = performance.now();
  /** `$input`. */
  readonly input: JsonText;
  readonly #steps: Record<string, JsonText> = Object.create(null);
  readonly texts = new Texts();
  #context = this.texts.of({});
  /**
   * The run's time in milliseconds since the epoch: that of its last journal entry or of the end
   * of its last retry delay. No clock is read, so that a replay sees the same.
   */
  now: number;

  constructor(plan: Plan, host: Host) {
    this.host = host;
    host.signal.addEventListener('abort', () => this.#abort(), { once: true });
    this.counters = new Counters(plan);
    this.input = new JsonText(host.input);
    this.held.hold(this.input);
    this.held.hold(this.#context);
    this.deadline = deadlineAt(host.deadline);
    this.now = Date.parse(host.run.startedAt);
  }

  /** Before each task. Throws when the run has no business going on. */
  async takeTurn(): Promise<void> {
    this.usage.countTask();
    this.tellWeight();
    if (performance.now() - this.#turnBegan > TURN_MS) {
      await setImmediate();
      this.beginTurn();
    }
    this.checkAborted();
    if (this.host.now() >= this.deadline.at) throw new DeadlinePassed(this.deadline);
  }

  /** The run has paused: the service's other work had its turn. */
  beginTurn(): void {
    this.#turnBegan = performance.now();
  }

  /** Journals a failure of pure work that may not happen again, and throws it. */
  async failNoted(key: string, { problem }: FlowError): Promise<never> {
    const completedAt = Math.max(this.now, this.host.now());
    const performed = { kind: 'failed' as const, problem, completedAt };
    await this.note({ key, performed });
    return this.#failAs(performed);
  }

  /** Throws the failure that was noted under the key, if there is one. */
  meetNoted(key: string): void {
    const noted = this.recallNoted(key);
    if (noted?.kind === 'failed') this.#failAs(noted);
  }

  recallNoted(key: string): Performed | undefined {
    const noted = this.host.recall(key);
    if (noted) this.usage.countEntry(key);
    return noted;
  }

  async note(note: Note): Promise<void> {
    this.usage.countEntry(note.key);
    await this.abortable(this.host.note(note));
  }

  #failAs({ problem, completedAt }: Extract<Performed, { kind: 'failed' }>): never {
    this.now = Math.max(this.now, completedAt);
    this.usage.countOutput({ ...problem });
    throw new FlowError(problem);
  }

  /**
   * Throws when a task around this one took longer than it may, by the host's clock: pure work does not
   * move the run's time on. Noted, so that a replay ends it here and nowhere else; while one goes on,
   * nothing was late that is not noted.
   */
  async noticeLate(key: string, deadline: Deadline): Promise<void> {
    if (deadline === this.deadline) return; // `takeTurn` sees to that
    const late = `${key}#late`;
    const known = this.recallNoted(late);
    if (!known && (this.host.replaying() || this.host.now() <= deadline.at)) return;
    const completedAt = known?.completedAt ?? Math.max(this.now, this.host.now());
    if (!known) await this.note({ key: late, performed: { kind: 'timed-out', completedAt } });
    this.now = Math.max(this.now, completedAt);
    throw new DeadlinePassed(deadline);
  }

  checkAborted(): void {
    if (this.host.signal.aborted) throw new Aborted();
  }

  /** Throws as soon as the signal is aborted, whatever becomes of the work. */
  async abortable<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    work.then(resolve, reject);
    this.#abortables.add(reject);
    try {
      this.checkAborted();
      return await promise;
    } finally {
      this.#abortables.delete(reject);
    }
  }

  #abort(): void {
    for (const reject of this.#abortables) reject(new Aborted());
  }

  /** Throws when that is too much for a run, or when there is no room for it now. */
  tellWeight(): void {
    const weight = this.held.weight + this.counters.weight;
    checkWeight(weight);
    this.host.hold(weight);
  }

  /** `$steps`, by name. */
  get steps(): Readonly<Record<string, JsonText>> {
    return this.#steps;
  }

  setStep(name: string, output: JsonText | undefined): void {
    const last = this.#steps[name];
    if (output === undefined) delete this.#steps[name];
    else this.#steps[name] = output;
    this.held.hold(output);
    this.held.release(last);
  }

  /** `$context`. */
  get context(): JsonText {
    return this.#context;
  }

  setContext(context: JsonText): void {
    this.held.hold(context);
    this.held.release(this.#context);
    this.#context = context;
  }
}
