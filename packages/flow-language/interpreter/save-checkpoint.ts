/** Makes a checkpoint of the state of an interpretation. */
import type { Json } from '../plan.ts';
import type { Branch } from './branch.ts';
import {
  CHECKPOINT_VERSION,
  type Checkpoint,
  type SavedBranch,
  type SavedBranchState,
  type SavedComposite,
  type SavedList,
  type SavedResult,
  type SavedTask,
  type ValueRef,
} from './checkpoint.ts';
import type { Counters } from './counters.ts';
import type { Result } from './execution.ts';
import type { Value } from './host.ts';
import { type JsonText, jsonOf } from './json-text.ts';
import type { Problem } from './problem.ts';
import type { BranchState, CompositeState, ListState, TaskState } from './state.ts';

export function saveCheckpoint(branch: Branch, list: ListState): Checkpoint {
  return new Saver(branch.run.counters).save(branch, list);
}

class Saver {
  readonly #counters: Counters;
  readonly #values: string[] = [];
  readonly #refs = new Map<string, ValueRef>();
  readonly #openKeys: string[] = [];

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  save(branch: Branch, list: ListState): Checkpoint {
    return {
      version: CHECKPOINT_VERSION,
      branch: this.#branch(branch),
      list: this.#list(list),
      values: this.#values,
      visits: this.#counters.visitCounts,
      retried: this.#counters.retriedCounts(),
      openKeys: this.#openKeys,
    };
  }

  #branch({ data: { now, context, exported, steps, usage } }: Branch): SavedBranch {
    return {
      now,
      context: this.#text(context),
      exported,
      steps: [...steps].map(([name, output]) => [name, this.#text(output)] as const),
      usage,
    };
  }

  #list({ index, input, task }: ListState): SavedList {
    return { index, input: this.#value(input), task: task && this.#task(task) };
  }

  #task({ position, composite, made, outcome, ...rest }: TaskState): SavedTask {
    const { name, iteration, visit, attempt, key } = position;
    if (!outcome) this.#openKeys.push(key);
    return {
      name,
      iteration,
      visit,
      attempt,
      ...rest,
      composite: composite && !outcome && !made ? this.#composite(composite) : null,
      made:
        made && !outcome ? { ...this.#result(made.result), input: this.#value(made.input) } : null,
      outcome:
        outcome?.kind === 'result'
          ? { kind: 'result', result: this.#result(outcome.result) }
          : outcome?.kind === 'error'
            ? { kind: 'error', problem: jsonOfProblem(outcome.problem) }
            : outcome,
    };
  }

  #result({ output, next, ended }: Result): SavedResult {
    return {
      output: this.#value(output),
      ...(next === undefined ? {} : { next }),
      ...(ended ? { ended } : {}),
    };
  }

  #composite(composite: CompositeState): SavedComposite {
    const input = this.#value(composite.input);
    switch (composite.kind) {
      case 'do':
        return { kind: 'do', input, list: this.#list(composite.list) };
      case 'for': {
        const { kind, index, items, output, list } = composite;
        return {
          kind,
          input,
          index,
          items: this.#value(items),
          output: this.#value(output),
          list: list && this.#list(list),
        };
      }
      case 'try': {
        const { visits, context, steps, error, list, ...rest } = composite;
        return {
          ...rest,
          input,
          visits: this.#counters.countsOf(visits),
          context: this.#text(context),
          steps: steps.map(([name, output]) => [name, this.#text(output)] as const),
          error: error && jsonOfProblem(error),
          list: this.#list(list),
        };
      }
      case 'parallel': {
        const { items, visits, branches, outputs, ...rest } = composite;
        return {
          ...rest,
          input,
          items: this.#value(items),
          visits: this.#counters.countsOf(visits),
          branches: branches.map((each) => this.#branchState(each)),
          outputs: Array.from(outputs, (output) => this.#value(output)),
        };
      }
    }
  }

  #branchState({ run, visits, list, output, problem, ...rest }: BranchState): SavedBranchState {
    if (!run.place) throw new Error('a branch has no place');
    return {
      ...rest,
      place: run.place,
      run: this.#branch(run),
      visits: this.#counters.countsOf(visits),
      list: this.#list(list),
      output: output && { value: this.#value(output.value), ended: output.ended },
      problem: problem && jsonOfProblem(problem),
    };
  }

  #value(value: Value): ValueRef {
    return value === undefined ? -1 : this.#ref(jsonOf(value));
  }

  #text(text: JsonText | undefined): ValueRef {
    return text === undefined ? -1 : this.#ref(text.text);
  }

  #ref(text: string): ValueRef {
    const known = this.#refs.get(text);
    if (known !== undefined) return known;
    const ref = this.#values.push(text) - 1;
    this.#refs.set(text, ref);
    return ref;
  }
}

const jsonOfProblem = (problem: Problem): Json => ({ ...problem });
