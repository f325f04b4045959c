import type { FlowDirective, Json, Task } from '../plan.ts';
import type { Branch } from './branch.ts';
import type { Deadline } from './deadline.ts';
import type { Effect } from './effect.ts';
import type { Evaluation } from './evaluation.ts';
import type { Frame } from './frame.ts';
import type { Performed, PerformRequest, Value } from './host.ts';
import type { Position } from './position.ts';
import { FlowError } from './problem.ts';
import type { CompositeState, TaskState } from './state.ts';
import { DeadlinePassedError } from './unwind.ts';

/** One execution of one task: the argument of the function of each kind of task. */
export interface Execution<T extends Task = Task> {
  branch: Branch;
  task: T;
  position: Position;
  state: TaskState;
  frame: Frame;
  evaluation: Evaluation;
  /** The input of the task, transformed by `input.from`. */
  input: Value;
}

export interface Result {
  output: Value;
  /** The directive to follow instead of the task's own `then`. */
  next?: FlowDirective;
  /** True when a task inside this task had the directive `end`: the whole flow ends. */
  ended?: boolean;
  /** True when this task made the output, whose size is then checked. `perform` checks its value itself. */
  hasNewOutput?: boolean;
}

type CompositeOf<K extends CompositeState['kind']> = Extract<CompositeState, { kind: K }>;

/** Returns the state of a composite task that goes on, or begins a new state. */
export function compositeOf<K extends CompositeState['kind']>(
  execution: Execution,
  kind: K,
  begin: () => Omit<CompositeOf<K>, 'kind'>,
): CompositeOf<K> {
  const { state } = execution;
  if (state.composite === null) {
    state.composite = { kind, ...begin() } as CompositeOf<K>;
    markStablePoint(execution);
  }
  if (state.composite.kind !== kind)
    throw new Error(`the state of ${execution.task.name} is not of ${kind}`);
  return state.composite as CompositeOf<K>;
}

/** Marks a stable point: a task that goes on from this point does not repeat the evaluations before the point. */
export function markStablePoint({ state, evaluation }: Execution): void {
  state.evaluations = evaluation.counter;
}

/** Asks the host to carry the effect out, or to answer from the journal. Waits for an effect that is pending. */
export async function perform(execution: Execution, effect: Effect): Promise<Json> {
  const { branch, task, position, frame } = execution;
  const { run, usage } = branch;
  const { nearest } = frame.deadline;
  checkDeadline(branch, nearest);
  usage.countEntry(position.key);
  run.held.hold(effect);
  try {
    run.reportWeight();
    const { signal } = branch;
    const owns = (key: string) => branch.owns(key);
    const request = { effect, position, task, owns, deadline: nearest.at, signal };
    const isKnown = branch.isReplaying;
    const performed = await awaitEnd(branch, request);
    if (!isKnown) run.beginTurn(); // the run has paused until the effect ended
    branch.now = Math.max(branch.now, performed.completedAt);
    return resultOf(performed, branch, nearest);
  } finally {
    run.held.release(effect);
  }
}

async function awaitEnd(branch: Branch, request: PerformRequest): Promise<Performed> {
  for (;;) {
    branch.checkAborted(); // a cancelled branch begins no effect
    const performed = await branch.awaitUnlessAborted(branch.host.perform(request));
    if (performed.kind !== 'pending') return performed;
    await branch.park(Math.min(performed.untilMs, request.deadline));
  }
}

function resultOf(performed: Performed, branch: Branch, deadline: Deadline): Json {
  switch (performed.kind) {
    case 'succeeded':
      checkDeadline(branch, deadline);
      branch.usage.countResult(performed.value);
      return performed.value;
    case 'failed':
      branch.usage.countResult({ ...performed.problem });
      throw new FlowError(performed.problem);
    case 'timed-out':
      throw new DeadlinePassedError(deadline);
  }
}

/** Throws when the branch's time has passed the deadline. */
export function checkDeadline({ now }: Branch, deadline: Deadline): void {
  if (now > deadline.at) throw new DeadlinePassedError(deadline);
}
