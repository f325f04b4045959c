/**
 * Executes branches side by side: the branches of a fork, the rounds of a parallel loop. The branch that decides the end
 * depends on the clock, so that the decision is journalled: a replay follows the deciding branch alone.
 */
import type { Json, Task } from '../plan.ts';
import type { Counters } from './counters.ts';
import { type Decision, decisionOf, type OtherBranchCounts, performedOf } from './decision.ts';
import type { Execution, Result } from './execution.ts';
import type { Frame } from './frame.ts';
import type { Performed, Value } from './host.ts';
import type { UsageCounts } from './limits.ts';
import { executeList } from './list.ts';
import { FlowError } from './problem.ts';
import { type BranchState, beginList, compositesWithin, type ParallelState } from './state.ts';
import {
  type BranchPlace,
  contains,
  containsTask,
  isOfBranches,
  type TaskScope,
} from './task-scope.ts';
import { DeadlinePassedError } from './unwind.ts';
import { VisitLog } from './visit-log.ts';

/** The branches of one task. */
export interface Branches {
  count: number;
  /** The largest number of branches at once. */
  concurrency: number;
  /** Whether the first branch to succeed ends the others. */
  isRace: boolean;
  /** Whether each branch is a round of a loop. */
  areRounds: boolean;
  /** The tasks of all branches. */
  scope: TaskScope;
  scopeOf: (index: number) => TaskScope;
  tasksOf: (index: number) => readonly Task[];
  frameOf: (index: number) => Frame;
  /** The names of the steps that a branch removes when it begins. */
  clearedSteps: readonly string[];
}

/** Begins the state of a task with branches. `items` are the elements of a loop. */
export function beginParallel(
  { branch, input, frame }: Execution,
  items: Json[],
): Omit<ParallelState, 'kind'> {
  const usageBefore = branch.usage.counts;
  const visits = new VisitLog(frame.visits);
  const { now } = branch;
  const end = { decision: null, isJoined: false };
  return { input, items, next: 0, now, usageBefore, visits, branches: [], outputs: [], ...end };
}

/** Executes the branches of a task from their state up to their end. */
export function executeParallel(
  execution: Execution,
  state: ParallelState,
  branches: Branches,
): Promise<Result> {
  return new Parallel(execution, state, branches).execute();
}

class Parallel {
  readonly #execution: Execution;
  readonly #state: ParallelState;
  readonly #branches: Branches;
  readonly #key: string;
  /** The number of branches under way. */
  #active = 0;
  /** The error that interrupts the task without a decision, such as a suspension. */
  #interruption: { thrown: unknown } | null = null;
  readonly #settled = Promise.withResolvers<void>();

  constructor(execution: Execution, state: ParallelState, branches: Branches) {
    this.#execution = execution;
    this.#state = state;
    this.#branches = branches;
    this.#key = `${execution.position.key}#decided`;
  }

  async execute(): Promise<Result> {
    try {
      return await this.#follow();
    } finally {
      this.#endAll();
    }
  }

  async #follow(): Promise<Result> {
    if (this.#state.isJoined) return this.#join();
    const { branch } = this.#execution;
    const known = branch.host.recallDecision(this.#key, (entry) => this.#droppedBy(entry));
    if (known) return this.#repeat(known);
    if (!this.#isOver) {
      const underWay = this.#state.branches.filter(({ output, problem }) => !output && !problem);
      for (const each of underWay) this.#launch(each);
    }
    this.#beginMore();
    if (this.#active === 0) this.#settled.resolve();
    else branch.run.parking.addBranches(this.#active - 1);
    await this.#settled.promise;
    if (this.#interruption) throw this.#interruption.thrown;
    const { decision } = this.#state;
    if (decision) await this.#noteDecision(decision);
    return this.#join();
  }

  /** Begins as many further branches as may be under way. Returns their number. */
  #beginMore(): number {
    const { count, concurrency } = this.#branches;
    let begun = 0;
    while (!this.#isOver && this.#active < concurrency && this.#state.next < count) {
      const next = this.#begin(this.#state.next);
      if (!next) break;
      this.#launch(next);
      begun += 1;
    }
    return begun;
  }

  get #isOver(): boolean {
    return this.#state.decision !== null || this.#interruption !== null;
  }

  #begin(index: number): BranchState | null {
    const { branch, task, input } = this.#execution;
    const { areRounds, clearedSteps } = this.#branches;
    const run = branch.fork(this.#placeOf(index));
    try {
      if (areRounds) run.usage.countRound();
    } catch (thrown) {
      run.end();
      if (!(thrown instanceof FlowError)) throw thrown;
      this.#end({ kind: 'failed', problem: thrown.at(task.path).toProblem(), at: branch.now });
      return null;
    }
    for (const name of clearedSteps) run.setStep(name, undefined);
    const visits = new VisitLog(this.#state.visits);
    const state: BranchState = {
      index,
      run,
      visits,
      isTimed: !areRounds || index < this.#branches.concurrency,
      list: beginList(input),
      output: null,
      problem: null,
    };
    this.#state.branches.push(state);
    this.#state.next = index + 1;
    return state;
  }

  #launch(state: BranchState): void {
    this.#active += 1;
    this.#followBranch(state).then(
      ({ output, ended }) => {
        this.#succeed(state, output, ended);
        this.#leave();
      },
      (thrown: unknown) => {
        this.#fail(state, thrown);
        this.#leave();
      },
    );
  }

  async #followBranch(state: BranchState): Promise<{ output: Value; ended: boolean }> {
    const { run, index, visits, list } = state;
    if (!state.isTimed) await this.#beginRound(state);
    const frame = { ...this.#branches.frameOf(index), visits };
    return executeList(run, this.#branches.tasksOf(index), list, frame);
  }

  /** Journals the time at which a round begins that had to wait for the end of another round. */
  async #beginRound(state: BranchState): Promise<void> {
    const { run, index } = state;
    const key = roundKey(this.#execution, index);
    let completedAt = run.recall(key)?.completedAt;
    if (completedAt === undefined) {
      completedAt = Math.max(run.now, run.host.now());
      await run.note({ key, performed: { kind: 'succeeded', value: null, completedAt } });
    }
    run.now = Math.max(run.now, completedAt);
    state.isTimed = true;
    run.host.consume(key);
  }

  #succeed(state: BranchState, output: Value, ended: boolean): void {
    if (this.#isOver) return;
    state.output = { value: output, ended };
    if (ended || this.#branches.isRace) {
      this.#end({ kind: 'won', index: state.index, at: state.run.now });
      return;
    }
    this.#state.outputs[state.index] = output;
    this.#state.now = Math.max(this.#state.now, state.run.now);
    this.#execution.branch.run.counters.close(state.visits);
    if (this.#branches.areRounds) this.#dropRounds();
  }

  /** Frees the rounds whose state the join does not need: all but the last round, and the last round that exported. */
  #dropRounds(): void {
    const { branches } = this.#state;
    const ended = branches.filter(({ output }) => output);
    const exported = Math.max(...ended.map(({ index, run }) => (run.hasExported ? index : -1)));
    const unneeded = new Set(
      ended.filter(({ index }) => index !== exported && index !== this.#branches.count - 1),
    );
    for (const { run } of unneeded) run.end();
    this.#state.branches = branches.filter((each) => !unneeded.has(each));
  }

  #fail(state: BranchState, thrown: unknown): void {
    if (this.#isOver) return;
    const { run } = this.#execution.branch;
    if (thrown instanceof FlowError) this.#failByError(state, thrown);
    else if (thrown instanceof DeadlinePassedError && thrown.deadline !== run.deadline) {
      this.#end({ kind: 'late', at: state.run.now });
    } else {
      this.#interruption = { thrown };
      // The run's deadline ends the branches. After a suspension or a failure of the host they go on.
      this.#abortAll(thrown instanceof DeadlinePassedError ? 'cancelled' : 'interrupted');
    }
  }

  /** A branch of a race fails the race only when all others have failed: with the error of the first in order. */
  #failByError(state: BranchState, error: FlowError): void {
    state.problem = error.toProblem();
    const { isRace, count } = this.#branches;
    const failed = this.#state.branches.filter(({ problem }) => problem);
    if (isRace && failed.length < count) return;
    const problem = failed.sort((a, b) => a.index - b.index)[0]?.problem ?? state.problem;
    this.#end({ kind: 'failed', problem, at: Math.max(...failed.map(({ run }) => run.now)) });
  }

  #end(decision: Decision): void {
    this.#state.decision = decision;
    this.#abortAll('cancelled');
  }

  #abortAll(why: 'interrupted' | 'cancelled'): void {
    for (const { run, output, problem } of this.#state.branches) {
      if (!output && !problem) run.abort(why);
    }
  }

  /** Ends a branch: its place goes to the next branch, or to the task itself when it was the last. */
  #leave(): void {
    this.#active -= 1;
    const begun = this.#beginMore();
    const { parking } = this.#execution.branch.run;
    if (begun > 0) parking.addBranches(begun - 1);
    else if (this.#active > 0) parking.addBranches(-1);
    else this.#settled.resolve();
  }

  /** Takes over the state of all branches, in their order. */
  #joinAll(): Value {
    const { branch } = this.#execution;
    const { branches, outputs, now } = this.#state;
    const inOrder = branches.toSorted((a, b) => a.index - b.index);
    const isOnlyExporting = (index: number) =>
      this.#branches.areRounds && index < this.#branches.count - 1;
    for (const { run, index } of inOrder) {
      if (isOnlyExporting(index)) branch.setContext(run.context);
      else branch.join(run);
    }
    branch.now = Math.max(branch.now, now);
    return outputs.filter((output) => output !== undefined);
  }

  /** Journals the decision. A checkpoint before its entry has the decision in the state. */
  async #noteDecision(decision: Decision): Promise<void> {
    const { branch } = this.#execution;
    const winner = this.#winnerOf(decision);
    this.#closeLosers(winner);
    const performed = performedOf({ decision, losses: this.#lossesOf(winner) });
    await branch.noteDecision({ key: this.#key, performed }, this.#droppedBy(performed));
  }

  #winnerOf(decision: Decision): BranchState | undefined {
    if (decision.kind !== 'won') return undefined;
    return this.#state.branches.find(({ index }) => index === decision.index);
  }

  #closeLosers(winner: BranchState | undefined): void {
    for (const each of this.#state.branches) if (each !== winner) this.#close(each);
  }

  /**
   * Hands the visits of a branch on, and frees the branches within it. A branch that had lost before a checkpoint is not
   * followed from there, so that the tasks under way in it do neither themselves.
   */
  #close({ list, visits }: BranchState): void {
    const { counters } = this.#execution.branch.run;
    for (const composite of compositesWithin(list)) {
      if (composite.kind === 'parallel') endBranches(composite, counters);
      else if (composite.kind === 'try') counters.close(composite.visits);
    }
    counters.close(visits);
  }

  #lossesOf(winner: BranchState | undefined): OtherBranchCounts {
    const { counters } = this.#execution.branch.run;
    const isLost = (path: string, iteration: string) =>
      containsTask(this.#branches.scope, path, iteration) &&
      !(winner && containsTask(this.#branches.scopeOf(winner.index), path, iteration));
    return {
      usage: this.#lostUsage(winner),
      visits: counters.countsOf(this.#state.visits),
      retried: counters.retriedCounts(isLost),
    };
  }

  /** The use of the limits by all branches but the winner so far. */
  #lostUsage(winner: BranchState | undefined): UsageCounts {
    const { counts } = this.#execution.branch.usage;
    const lost = subtract(counts, this.#state.usageBefore);
    return winner ? subtract(lost, winner.run.usage.counts) : lost;
  }

  /** Ends the task: takes over the state of its branches, or throws. A task that goes on from here does so again. */
  #join(): Result {
    this.#state.isJoined = true;
    const { decision } = this.#state;
    return decision ? this.#endBy(decision) : { output: this.#joinAll(), hasNewOutput: true };
  }

  /** Ends the task by a decision: takes over the state of the deciding branch, or throws. */
  #endBy(decision: Decision): Result {
    const { branch, frame } = this.#execution;
    const winner = this.#winnerOf(decision);
    branch.now = Math.max(branch.now, decision.at);
    if (winner) branch.join(winner.run);
    if (decision.kind === 'failed') throw new FlowError(decision.problem);
    if (decision.kind === 'late') throw new DeadlinePassedError(frame.deadline.nearest);
    if (!winner?.output) throw new Error('the deciding branch has no output');
    const { value, ended } = winner.output;
    return ended ? { output: value, ended } : { output: value };
  }

  /** Frees all branches, and hands their visits on. */
  #endAll(): void {
    for (const each of this.#state.branches) this.#close(each);
    endBranches(this.#state, this.#execution.branch.run.counters);
  }

  /** Repeats a journalled decision: follows the deciding branch alone. */
  async #repeat(known: Performed): Promise<Result> {
    const { branch } = this.#execution;
    const { counters } = branch.run;
    const { decision, losses } = decisionOf(known);
    const underWay = this.#winnerOf(decision);
    this.#closeLosers(underWay);
    branch.usage.add(subtract(losses.usage, this.#lostUsage(underWay)));
    counters.forget(this.#state.visits);
    counters.repeat(losses.visits, this.#state.visits);
    counters.setRetried(losses.retried);
    const winner =
      underWay ??
      (decision.kind === 'won' ? (this.#begin(decision.index) ?? undefined) : undefined);
    if (winner && !winner.output) {
      const { output, ended } = await this.#followBranch(winner);
      winner.output = { value: output, ended };
    }
    this.#state.decision = decision;
    return this.#join();
  }

  /** Makes the test of the journal entries that a decision drops: the entries of all branches but the deciding branch. */
  #droppedBy(entry: Performed): (key: string) => boolean {
    const { decision } = decisionOf(entry);
    const winner = decision.kind === 'won' ? decision.index : null;
    const place = this.#placeOf(winner ?? 0);
    const round = winner === null ? null : roundKey(this.#execution, winner);
    return (key) =>
      isOfBranches(place, key) && key !== round && !(winner !== null && contains(place.scope, key));
  }

  #placeOf(index: number): BranchPlace {
    const { scope: siblings, scopeOf } = this.#branches;
    return { scope: scopeOf(index), siblings, rounds: roundKey(this.#execution, '') };
  }
}

/** Frees the branches of a task, and hands their visits on. */
function endBranches({ branches, visits }: ParallelState, counters: Counters): void {
  for (const branch of branches) {
    counters.close(branch.visits);
    branch.run.end();
  }
  counters.close(visits);
}

const roundKey = ({ position }: Execution, index: number | ''): string =>
  `${position.key}#round${index}`;

const subtract = (all: UsageCounts, part: UsageCounts): UsageCounts => ({
  rounds: all.rounds - part.rounds,
  tasks: all.tasks - part.tasks,
  journalBytes: all.journalBytes - part.journalBytes,
});
