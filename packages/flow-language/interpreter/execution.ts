import type { FlowDirective, Json, Task } from '../plan.ts';
import type { Deadline } from './deadline.ts';
import type { Effect } from './effect.ts';
import type { Evaluation } from './evaluation.ts';
import type { Frame } from './frame.ts';
import type { Performed, Value } from './host.ts';
import type { Position } from './position.ts';
import { FlowError } from './problem.ts';
import type { Run } from './run.ts';
import { DeadlinePassedError } from './unwind.ts';

/** One execution of one task: the argument of the function of each kind of task. */
export interface Execution<T extends Task = Task> {
  run: Run;
  task: T;
  position: Position;
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
  /** True when this task made the output: the output is added to the run's size. `perform` adds its value itself. */
  made?: boolean;
}

/** Asks the host to carry the effect out, or to answer from the journal. */
export async function perform(
  { run, task, position, frame }: Execution,
  effect: Effect,
): Promise<Json> {
  const { nearest } = frame.deadline;
  checkDeadline(run, nearest);
  run.usage.countEntry(position.key);
  run.held.hold(effect);
  try {
    run.reportWeight();
    const { signal } = run.host;
    const request = { effect, position, task, deadline: nearest.at, signal };
    const isKnown = run.host.replaying();
    const performed = await run.awaitUnlessAborted(run.host.perform(request));
    if (!isKnown) run.beginTurn(); // the run has paused until the effect ended
    run.now = Math.max(run.now, performed.completedAt);
    return resultOf(performed, run, nearest);
  } finally {
    run.held.release(effect);
  }
}

function resultOf(performed: Performed, run: Run, deadline: Deadline): Json {
  switch (performed.kind) {
    case 'succeeded':
      checkDeadline(run, deadline);
      run.usage.countOutput(performed.value);
      return performed.value;
    case 'failed':
      run.usage.countOutput({ ...performed.problem });
      throw new FlowError(performed.problem);
    case 'timed-out':
      throw new DeadlinePassedError(deadline);
  }
}

/** Throws when the run's time has passed the deadline. */
export function checkDeadline(run: Run, deadline: Deadline): void {
  if (run.now > deadline.at) throw new DeadlinePassedError(deadline);
}
