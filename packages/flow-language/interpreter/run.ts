/** The state of one interpretation of a run. */
import { setImmediate } from 'node:timers/promises';
import type { Plan } from '../plan.ts';
import { Counters } from './counters.ts';
import { type Deadline, deadlineAt } from './deadline.ts';
import { HeldValues } from './held-values.ts';
import type { Host, Note, Performed } from './host.ts';
import { JsonText, Texts } from './json-text.ts';
import { checkWeight, Usage } from './limits.ts';
import { FlowError } from './problem.ts';
import { AbortedError, DeadlinePassedError } from './unwind.ts';

/** Milliseconds that an interpretation computes without a break. After that it yields to the event loop. */
const TURN_MS = 5;

export class Run {
  readonly host: Host;
  readonly counters: Counters;
  readonly usage = new Usage();
  readonly deadline: Deadline;
  /** The values that the interpretation holds in memory. */
  readonly held = new HeldValues();
  /** The reject functions of the promises that the interpretation awaits. An abort calls all of them. */
  readonly #abortables = new Set<(error: AbortedError) => void>();
  /** The time of the last break, by the monotonic clock. Nothing that a flow sees depends on it. */
  #turnBegan = performance.now();
  /** The value of `$input`. */
  readonly input: JsonText;
  /** The value of `$properties`. */
  readonly properties: JsonText;
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
    this.properties = new JsonText(host.properties);
    this.held.hold(this.input);
    this.held.hold(this.properties);
    this.held.hold(this.#context);
    this.deadline = deadlineAt(host.deadline);
    this.now = Date.parse(host.run.startedAt);
  }

  /** Called before each task. Throws when a limit or the run's deadline has passed or the run is aborted. */
  async takeTurn(): Promise<void> {
    this.usage.countTask();
    this.reportWeight();
    if (performance.now() - this.#turnBegan > TURN_MS) {
      await setImmediate();
      this.beginTurn();
    }
    this.checkAborted();
    if (this.host.now() >= this.deadline.at) throw new DeadlinePassedError(this.deadline);
  }

  /** Notes that the interpretation has yielded to the event loop. */
  beginTurn(): void {
    this.#turnBegan = performance.now();
  }

  /** Journals a failure that a replay may not repeat, and throws it. */
  async noteFailure(key: string, { problem }: FlowError): Promise<never> {
    const completedAt = Math.max(this.now, this.host.now());
    const performed = { kind: 'failed' as const, problem, completedAt };
    await this.note({ key, performed });
    return this.#failAs(performed);
  }

  /** Throws the failure that was noted under the key, if there is one. */
  throwNotedFailure(key: string): void {
    const noted = this.recallEntry(key);
    if (noted?.kind === 'failed') this.#failAs(noted);
  }

  recallEntry(key: string): Performed | undefined {
    const noted = this.host.recall(key);
    if (noted) this.usage.countEntry(key);
    return noted;
  }

  async note(note: Note): Promise<void> {
    this.usage.countEntry(note.key);
    await this.awaitUnlessAborted(this.host.note(note));
  }

  #failAs({ problem, completedAt }: Extract<Performed, { kind: 'failed' }>): never {
    this.now = Math.max(this.now, completedAt);
    this.usage.countOutput({ ...problem });
    throw new FlowError(problem);
  }

  /**
   * Throws when the host's clock has passed the deadline of a surrounding task, because computing does not advance the
   * run's time. The passed deadline is journalled, so that a replay ends the task at the same place; a replay without
   * that entry does not ask the clock.
   */
  async checkDeadlineByClock(key: string, deadline: Deadline): Promise<void> {
    if (deadline === this.deadline) return; // `takeTurn` checks the run's own deadline
    const late = `${key}#late`;
    const known = this.recallEntry(late);
    if (!known && (this.host.replaying() || this.host.now() <= deadline.at)) return;
    const completedAt = known?.completedAt ?? Math.max(this.now, this.host.now());
    if (!known) await this.note({ key: late, performed: { kind: 'timed-out', completedAt } });
    this.now = Math.max(this.now, completedAt);
    throw new DeadlinePassedError(deadline);
  }

  checkAborted(): void {
    if (this.host.signal.aborted) throw new AbortedError();
  }

  /** Awaits the work. Throws as soon as the signal is aborted; the work goes on and its result is ignored. */
  async awaitUnlessAborted<T>(work: Promise<T>): Promise<T> {
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
    for (const reject of this.#abortables) reject(new AbortedError());
  }

  /** Reports the held memory to the host. Throws when it is over the run's limit or the host has no room for it. */
  reportWeight(): void {
    const weight = this.held.weight + this.counters.weight;
    checkWeight(weight);
    this.host.hold(weight);
  }

  /** The value of `$steps`: outputs by task name. */
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

  /** The value of `$context`. */
  get context(): JsonText {
    return this.#context;
  }

  setContext(context: JsonText): void {
    this.held.hold(context);
    this.held.release(this.#context);
    this.#context = context;
  }
}
