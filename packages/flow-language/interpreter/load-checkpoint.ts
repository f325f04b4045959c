/** Restores the state of an interpretation from a checkpoint. */
import type { Json, Task } from '../plan.ts';
import { Branch, type BranchData } from './branch.ts';
import type {
  Checkpoint,
  SavedBranch,
  SavedBranchState,
  SavedComposite,
  SavedList,
  SavedResult,
  SavedTask,
  SavedVisits,
  ValueRef,
} from './checkpoint.ts';
import type { Result } from './execution.ts';
import type { Value } from './host.ts';
import { JsonText, parseJson } from './json-text.ts';
import { listsIn } from './names.ts';
import { positionOf } from './position.ts';
import type { Problem } from './problem.ts';
import type { Run } from './run.ts';
import type { BranchState, CompositeState, ListState, TaskOutcome, TaskState } from './state.ts';
import { VisitLog } from './visit-log.ts';

export function loadCheckpoint(
  run: Run,
  checkpoint: Checkpoint,
): { branch: Branch; list: ListState } {
  return new Loader(run, checkpoint).load();
}

class Loader {
  readonly #run: Run;
  readonly #checkpoint: Checkpoint;
  readonly #values: Value[] = [];
  readonly #texts: JsonText[] = [];

  constructor(run: Run, checkpoint: Checkpoint) {
    this.#run = run;
    this.#checkpoint = checkpoint;
  }

  load(): { branch: Branch; list: ListState } {
    const { branch: saved, list, visits, retried } = this.#checkpoint;
    this.#run.counters.repeat(visits, null);
    this.#run.counters.setRetried(retried);
    const branch = new Branch(this.#run, null, this.#branchData(saved));
    return { branch, list: this.#list(list, this.#run.plan.tasks, branch, null) };
  }

  #branchData({ now, context, exported, steps, usage }: SavedBranch): BranchData {
    const own = steps.map(([name, ref]) => [name, this.#text(ref)] as const);
    return { now, context: this.#textAt(context), exported, steps: new Map(own), usage };
  }

  #list(
    { index, input, task: saved }: SavedList,
    tasks: readonly Task[],
    branch: Branch,
    log: VisitLog | null,
  ): ListState {
    const list: ListState = { index, input: this.#value(input), task: null };
    if (!saved) return list;
    const task = tasks[index];
    if (task?.name !== saved.name)
      throw new Error(`the plan has no task ${saved.name} at its place`);
    list.task = this.#task(saved, task, branch, log, list.input);
    return list;
  }

  #task(
    saved: SavedTask,
    task: Task,
    branch: Branch,
    log: VisitLog | null,
    given: Value,
  ): TaskState {
    const { iteration, visit, attempt, startedAt, deadlineAt, evaluations } = saved;
    const { startedAtClock = null } = saved;
    return {
      position: positionOf(task, iteration, visit, attempt),
      startedAt,
      startedAtClock,
      deadlineAt,
      evaluations,
      composite: saved.composite && this.#composite(saved.composite, task, branch, log),
      made: saved.made && this.#made(saved.made, given),
      outcome: this.#outcome(saved.outcome),
    };
  }

  #made(saved: NonNullable<SavedTask['made']>, given: Value): TaskState['made'] {
    const input = saved.input === undefined ? given : this.#value(saved.input);
    return { input, result: this.#result(saved) };
  }

  #outcome(saved: SavedTask['outcome']): TaskOutcome | null {
    if (saved?.kind === 'result') return { kind: 'result', result: this.#result(saved.result) };
    if (saved?.kind === 'error') return { kind: 'error', problem: problemOf(saved.problem) };
    return saved;
  }

  #result({ output, next, ended }: SavedResult): Result {
    return {
      output: this.#value(output),
      ...(next === undefined ? {} : { next }),
      ...(ended ? { ended } : {}),
    };
  }

  #composite(
    saved: SavedComposite,
    task: Task,
    branch: Branch,
    log: VisitLog | null,
  ): CompositeState {
    const input = this.#value(saved.input);
    const [first = [], second = []] = listsIn(task);
    switch (saved.kind) {
      case 'do':
        return { kind: 'do', input, list: this.#list(saved.list, first, branch, log) };
      case 'for': {
        const { kind, index, list } = saved;
        const items = this.#value(saved.items) as Json[];
        const output = this.#value(saved.output);
        return {
          kind,
          input,
          index,
          items,
          output,
          list: list && this.#list(list, first, branch, log),
        };
      }
      case 'try': {
        const visits = this.#log(saved.visits, log);
        const isCatch = saved.phase === 'catch';
        const inner = task.kind === 'try' && task.catch.retry ? visits : log;
        const { kind, phase, retries, startedAt, attemptDeadlineAt, exported, error } = saved;
        return {
          kind,
          input,
          phase,
          retries,
          startedAt,
          attemptDeadlineAt,
          exported,
          visits,
          context: this.#textAt(saved.context),
          steps: saved.steps.map(([name, ref]) => [name, this.#text(ref)] as const),
          error: error === null ? null : problemOf(error),
          list: this.#list(saved.list, isCatch ? second : first, branch, isCatch ? log : inner),
        };
      }
      case 'parallel': {
        const { kind, next, now, usageBefore, decision = null, isJoined = false } = saved;
        const items = this.#value(saved.items) as Json[];
        const visits = this.#log(saved.visits, log);
        const tasksOf = (index: number) =>
          (task.kind === 'fork' ? listsIn(task)[index] : first) ?? [];
        return {
          kind,
          input,
          items,
          next,
          now,
          usageBefore,
          visits,
          branches: saved.branches.map((each) => this.#branchState(each, tasksOf, branch, visits)),
          outputs: saved.outputs.map((ref) => this.#value(ref)),
          decision,
          isJoined,
        };
      }
    }
  }

  #branchState(
    saved: SavedBranchState,
    tasksOf: (index: number) => readonly Task[],
    outer: Branch,
    outerLog: VisitLog,
  ): BranchState {
    const { index, isTimed, output, problem, place } = saved;
    const run = outer.fork(place, this.#branchData(saved.run));
    const visits = this.#log(saved.visits, outerLog);
    return {
      index,
      run,
      visits,
      isTimed,
      list: this.#list(saved.list, tasksOf(index), run, visits),
      output: output && { value: this.#value(output.value), ended: output.ended },
      problem: problem === null ? null : problemOf(problem),
    };
  }

  #log(saved: SavedVisits, outer: VisitLog | null): VisitLog {
    const log = new VisitLog(outer);
    this.#run.counters.loadLog(saved, log);
    return log;
  }

  #value(ref: ValueRef): Value {
    if (ref < 0) return undefined;
    this.#values[ref] ??= parseJson(this.#textAt(ref).text);
    return this.#values[ref];
  }

  #text(ref: ValueRef): JsonText | undefined {
    return ref < 0 ? undefined : this.#textAt(ref);
  }

  #textAt(ref: ValueRef): JsonText {
    const text = this.#checkpoint.values[ref];
    if (text === undefined) throw new Error('a checkpoint lacks a value');
    this.#texts[ref] ??= new JsonText(text);
    return this.#texts[ref];
  }
}

const problemOf = (saved: Json): Problem => saved as unknown as Problem;
