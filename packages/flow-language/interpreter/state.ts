/**
 * The state of an interpretation that a checkpoint keeps: the task under way in each list, and the states of the tasks
 * around that task. A composite task changes its state only at stable points, without a pause between the changes, so that
 * a later interpretation repeats everything after the stable point.
 */
import type { Json } from '../plan.ts';
import type { Branch } from './branch.ts';
import type { Decision } from './decision.ts';
import type { Result } from './execution.ts';
import type { Value } from './host.ts';
import type { JsonText } from './json-text.ts';
import type { UsageCounts } from './limits.ts';
import type { Position } from './position.ts';
import type { Problem } from './problem.ts';
import type { VisitLog } from './visit-log.ts';

/** The state of a list of tasks. */
export interface ListState {
  /** The index of the next task, or of the task under way. */
  index: number;
  /** The input of that task. */
  input: Value;
  /** The task under way; its outcome is taken over when the list goes on. */
  task: TaskState | null;
}

export const beginList = (input: Value): ListState => ({ index: 0, input, task: null });

/** The end of a task. `late`: a deadline around the task has passed. */
export type TaskOutcome =
  | { kind: 'result'; result: Result }
  | { kind: 'error'; problem: Problem }
  | { kind: 'late' };

/** The state of a task that has begun. */
export interface TaskState {
  position: Position;
  /** The run's time at the beginning of the task. */
  startedAt: number;
  /** The host's time at the beginning of the task, which the step shows; null where the task began in a replay. */
  startedAtClock: number | null;
  /** The end of the task's own timeout, in the run's time. */
  deadlineAt: number | null;
  /** The number of evaluations before the last stable point, which are not repeated. */
  evaluations: number;
  /** The state of a composite task. A task without it begins again, at the same position. */
  composite: CompositeState | null;
  /** The transformed input and the result of a task that has still to export `$context`. */
  made: { input: Value; result: Result } | null;
  outcome: TaskOutcome | null;
}

interface CompositeBase {
  /** The task's input, transformed by `input.from`. */
  input: Value;
}

export interface DoState extends CompositeBase {
  kind: 'do';
  list: ListState;
}

/** The state of a loop whose rounds follow one another. */
export interface ForState extends CompositeBase {
  kind: 'for';
  items: Json[];
  /** The index of the next round, or of the round under way. */
  index: number;
  /** The output of the round before. */
  output: Value;
  /** The round under way. */
  list: ListState | null;
}

/** The state of a `try` and of its `catch`. */
export interface TryState extends CompositeBase {
  kind: 'try';
  phase: 'try' | 'catch';
  /** The number of retries so far. */
  retries: number;
  startedAt: number;
  /** The end of the attempt's own time, in the run's time. */
  attemptDeadlineAt: number | null;
  /** The visits that the next retry takes back. */
  visits: VisitLog;
  /** `$context` and the `$steps` of the tasks within, which each retry restores. */
  context: JsonText;
  exported: boolean;
  steps: readonly (readonly [string, JsonText | undefined])[];
  /** The error that `catch.do` handles. */
  error: Problem | null;
  list: ListState;
}

/** The state of branches or rounds side by side. */
export interface ParallelState extends CompositeBase {
  kind: 'parallel';
  /** The elements of a loop; empty for the branches of a fork. */
  items: Json[];
  /** The index of the next branch to begin. */
  next: number;
  /** The latest time of the branches that have ended, in the run's time. */
  now: number;
  /** The use of the limits by the branch around this task before the task began. */
  usageBefore: UsageCounts;
  /** The visits of the branches that have ended. */
  visits: VisitLog;
  /** The branches under way, and those that have ended and whose state the join needs. */
  branches: BranchState[];
  /** The outputs of the branches that have ended, by index. */
  outputs: Value[];
  /** How the branches have ended: set at once, and journalled after the other branches have ended. */
  decision: Decision | null;
  /** Whether the task has taken over the state and the visits of its branches. */
  isJoined: boolean;
}

/** The state of one branch. */
export interface BranchState {
  index: number;
  run: Branch;
  visits: VisitLog;
  /** False until a round that had to wait knows its time. */
  isTimed: boolean;
  list: ListState;
  /** Set when the branch has succeeded; null while it is under way. */
  output: { value: Value; ended: boolean } | null;
  /** Set when the branch of a race has failed. */
  problem: Problem | null;
}

export type CompositeState = DoState | ForState | TryState | ParallelState;

/** Lists the states of the composite tasks under way in a list, each before the state of the task around it. */
export function compositesWithin({ task }: ListState): CompositeState[] {
  const composite = task?.composite;
  return composite ? [...listsOf(composite).flatMap(compositesWithin), composite] : [];
}

function listsOf(composite: CompositeState): ListState[] {
  switch (composite.kind) {
    case 'for':
      return composite.list ? [composite.list] : [];
    case 'parallel':
      return composite.branches.map(({ list }) => list);
    default:
      return [composite.list];
  }
}
