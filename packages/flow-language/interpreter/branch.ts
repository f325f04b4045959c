/**
 * One line of execution of a run: the run itself, or a branch of a fork or a round of a parallel loop. A branch has its
 * own time, `$context` and `$steps`, so that what it computes depends on no other branch.
 */
import type { Deadline } from './deadline.ts';
import type { Host, Note, Performed } from './host.ts';
import type { JsonText } from './json-text.ts';
import { Usage, type UsageCounts } from './limits.ts';
import { FlowError } from './problem.ts';
import type { Run } from './run.ts';
import { type BranchPlace, contains, isOfBranches } from './task-scope.ts';
import { AbortedError, DeadlinePassedError } from './unwind.ts';

/** The state of a branch that a checkpoint keeps. */
export interface BranchData {
  now: number;
  context: JsonText;
  /** Whether `context` was exported in this branch. */
  exported: boolean;
  /** The steps that this branch has set. Undefined: the branch has removed the step. */
  steps: ReadonlyMap<string, JsonText | undefined>;
  usage: UsageCounts;
}

type OuterBranch = { branch: Branch; place: BranchPlace };

export class Branch {
  readonly run: Run;
  /** The place beside the other branches; null for the branch of the run itself. */
  readonly place: BranchPlace | null;
  readonly usage: Usage;
  /**
   * The branch's time in milliseconds since the epoch: that of its last journal entry or of the end
   * of its last delay. No clock is read, so that a replay sees the same.
   */
  now: number;
  readonly #aborted = new AbortController();
  readonly #outer: Branch | null;
  readonly #inner = new Set<Branch>();
  /** The reject functions of the promises that the branch awaits. An abort calls all of them. */
  readonly #abortables = new Set<(error: AbortedError) => void>();
  readonly #steps: Record<string, JsonText>;
  /** The steps that this branch has set or removed. */
  readonly #own = new Map<string, JsonText | undefined>();
  #context: JsonText;
  #exported: boolean;

  /** Makes the branch of the run itself; `forkBranch` makes the others. */
  constructor(run: Run, outer: OuterBranch | null, data: BranchData) {
    this.run = run;
    this.place = outer?.place ?? null;
    this.now = data.now;
    this.#outer = outer?.branch ?? null;
    this.usage = new Usage(this.#outer?.usage ?? null, data.usage);
    this.#steps = Object.assign(Object.create(null), this.#outer?.steps);
    this.#context = data.context;
    this.#exported = data.exported;
    run.held.hold(data.context);
    if (!outer || data.exported) run.stateSize.replace(undefined, data.context);
    for (const [name, output] of data.steps) this.setStep(name, output);
    if (this.#outer) this.#outer.#inner.add(this);
  }

  /** Makes a branch of this branch. Without data it begins with the state of this branch. */
  fork(place: BranchPlace, data?: BranchData): Branch {
    const begin = { now: this.now, context: this.#context, exported: false, steps: new Map() };
    const usage = { rounds: 0, tasks: 0, journalBytes: 0 };
    return new Branch(this.run, { branch: this, place }, data ?? { ...begin, usage });
  }

  /** Takes over the state of a branch that has succeeded. */
  join(branch: Branch): void {
    for (const [name, output] of branch.#own) this.setStep(name, output);
    if (branch.#exported) this.setContext(branch.#context);
  }

  /** Frees the memory of the branch, which may not be used afterwards. A second call does nothing. */
  end(): void {
    if (this.#outer && !this.#outer.#inner.delete(this)) return;
    const { held, stateSize } = this.run;
    for (const text of this.#own.values()) {
      held.release(text);
      stateSize.replace(text, undefined);
    }
    held.release(this.#context);
    if (this.#exported) stateSize.replace(this.#context, undefined);
  }

  get host(): Host {
    return this.run.host;
  }

  /** Aborted when the run is interrupted, or when this branch or a branch around it is cancelled. */
  get signal(): AbortSignal {
    return this.#aborted.signal;
  }

  /** Whether another branch has ended this branch, or a branch around it. */
  get isCancelled(): boolean {
    return this.signal.reason === 'cancelled';
  }

  /** Ends the branch and the branches in it. */
  abort(why: 'interrupted' | 'cancelled'): void {
    if (this.signal.aborted) return;
    this.#aborted.abort(why);
    for (const reject of this.#abortables) reject(new AbortedError());
    for (const branch of this.#inner) branch.abort(why);
  }

  /** Called before each new task. Throws when a limit or the run's deadline has passed or the branch is aborted. */
  async takeTurn(): Promise<void> {
    const { run } = this;
    this.usage.countTask();
    run.reportWeight();
    while (run.isTurnOver) await this.awaitUnlessAborted(run.nextTurn());
    this.checkAborted();
    if (this.host.now() >= run.deadline.at) throw new DeadlinePassedError(run.deadline);
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
    const noted = this.recall(key);
    if (noted?.kind === 'failed') this.#failAs(noted);
  }

  /** Returns the noted entry of the key. */
  recall(key: string): Performed | undefined {
    const noted = this.host.recall(key);
    if (noted) this.usage.countEntry(key);
    return noted;
  }

  async note(note: Note): Promise<void> {
    await this.#append(note.key, () => this.host.note(note));
  }

  /** Notes how the branches of a task ended. `isLost` names the entries of the branches that did not decide. */
  async noteDecision(decision: Note, isLost: (key: string) => boolean): Promise<void> {
    await this.#append(decision.key, () => this.host.noteDecision(decision, isLost));
  }

  async #append(key: string, append: () => Promise<void>): Promise<void> {
    this.checkAborted(); // a cancelled branch journals nothing
    this.usage.countEntry(key);
    await this.awaitUnlessAborted(append());
  }

  #failAs({ problem, completedAt }: Extract<Performed, { kind: 'failed' }>): never {
    this.now = Math.max(this.now, completedAt);
    this.usage.countResult({ ...problem });
    throw new FlowError(problem);
  }

  /** Whether the journal has entries that only this branch, or tasks after its join, can reach. */
  get isReplaying(): boolean {
    return this.host.replaying(this.#outer ? (key) => this.owns(key) : null);
  }

  /** Whether an entry of the journal belongs to this branch, or to tasks after the join of this branch. */
  owns(key: string): boolean {
    if (!this.place || contains(this.place.scope, key)) return true;
    return !isOfBranches(this.place, key) && (this.#outer?.owns(key) ?? true);
  }

  /**
   * Throws when the host's clock has passed the deadline of a surrounding task, because computing does not advance the
   * run's time. The passed deadline is journalled, so that a replay ends the task at the same place; a replay without
   * that entry does not ask the clock, and a task that goes on or ends by an event does not either.
   */
  async checkDeadlineByClock(key: string, deadline: Deadline, asksClock: boolean): Promise<void> {
    if (deadline === this.run.deadline) return; // `takeTurn` checks the run's own deadline
    const late = `${key}#late`;
    const known = this.recall(late);
    if (!known && (!asksClock || this.isReplaying || this.host.now() <= deadline.at)) return;
    const completedAt = known?.completedAt ?? Math.max(this.now, this.host.now());
    if (!known) await this.note({ key: late, performed: { kind: 'timed-out', completedAt } });
    this.now = Math.max(this.now, completedAt);
    throw new DeadlinePassedError(deadline);
  }

  /**
   * Moves the branch's time to the host's clock where a time limit begins, because computing does not advance the run's
   * time. The move is journalled, so that a replay begins the limit at the same time; a lag of at most `ignoredMs` is
   * not. Work that may be suspended within the limit ignores no lag, with -1: its replay would take the wait for a lag.
   */
  async advanceToClock(key: string, ignoredMs: number): Promise<void> {
    const begun = `${key}#begun`;
    const known = this.recall(begun);
    if (!known && this.isReplaying) return;
    const completedAt = known?.completedAt ?? Math.max(this.now, this.host.now());
    if (!known && completedAt - this.now <= ignoredMs) return;
    if (!known)
      await this.note({ key: begun, performed: { kind: 'succeeded', value: null, completedAt } });
    this.now = Math.max(this.now, completedAt);
  }

  checkAborted(): void {
    if (this.signal.aborted) throw new AbortedError();
  }

  /** Awaits the work. Throws as soon as the signal is aborted; the work goes on and its result is ignored. */
  async awaitUnlessAborted<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    work.then(resolve, reject);
    this.#abortables.add(reject);
    if (this.signal.aborted) reject(new AbortedError());
    try {
      return await promise;
    } finally {
      this.#abortables.delete(reject);
    }
  }

  /** Waits without computing until the time, or for a shorter time. */
  async park(untilMs: number): Promise<void> {
    this.checkAborted(); // the signal of an aborted branch would never end the wait
    return this.awaitUnlessAborted(this.run.parking.park(untilMs, this.signal));
  }

  /** The value of `$steps`: outputs by task name. */
  get steps(): Readonly<Record<string, JsonText>> {
    return this.#steps;
  }

  /** Sets the output of a step, or removes the step. Throws `RUN_TOO_LARGE`. */
  setStep(name: string, output: JsonText | undefined): void {
    const last = this.#own.get(name);
    if (output === last && this.#own.has(name)) return;
    this.run.stateSize.replace(last, output);
    this.run.held.hold(output);
    if (output === undefined) delete this.#steps[name];
    else this.#steps[name] = output;
    if (output === undefined && !this.#outer) this.#own.delete(name);
    else this.#own.set(name, output);
    this.run.held.release(last);
  }

  /** The value of `$context`. */
  get context(): JsonText {
    return this.#context;
  }

  /** Sets `$context`. Throws `RUN_TOO_LARGE`. */
  setContext(context: JsonText): void {
    const counted = this.#exported || !this.#outer;
    this.run.stateSize.replace(counted ? this.#context : undefined, context);
    this.run.held.hold(context);
    this.run.held.release(this.#context);
    this.#context = context;
    this.#exported = true;
  }

  /** Whether `$context` was exported in this branch. */
  get hasExported(): boolean {
    return this.#exported;
  }

  /** Sets `$context` back to an earlier `$context` of this branch. */
  restoreContext(context: JsonText, exported: boolean): void {
    this.setContext(context);
    if (exported || !this.#outer) return;
    this.run.stateSize.replace(context, undefined);
    this.#exported = false;
  }

  /** The state that a checkpoint keeps. */
  get data(): BranchData {
    const { now, usage } = this;
    return {
      now,
      context: this.#context,
      exported: this.#exported,
      steps: this.#own,
      usage: usage.counts,
    };
  }
}
