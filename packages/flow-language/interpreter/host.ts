/**
 * The host is the interpreter's only access to anything outside the run, such as the journal and the clock.
 *
 * The interpreter follows a run from its beginning, or from a checkpoint. Each effect goes through `perform`: the host
 * journals the effect's end before the next effect begins, and with the run's end at the latest. A replay gets the
 * journal's entries from `perform`, computes everything else from these entries again, and comes to the same result.
 */
import type { Expression, Json, Task, Template } from '../plan.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Effect } from './effect.ts';
import type { Position } from './position.ts';
import type { FlowError, Problem } from './problem.ts';

/** The value of an expression. Undefined means that the expression has no value; null is a value. */
export type Value = Json | undefined;

/** The input, variables, time and seed of an expression. */
export interface Scope {
  /** The value of `$`. */
  input: Value;
  /**
   * The variables by name without `$`. The child gets only the variables that the expression names. Some values,
   * and some members of values, are a `JsonText`.
   */
  variables: Readonly<Record<string, Value>>;
  /** The time that `$millis()` and `$now()` return, in milliseconds since the epoch. */
  now: number;
  /** The seed of `$random()` and `$shuffle()`. */
  seed: string;
  /** True when an earlier evaluation of the expression met no limit: this evaluation gets a larger budget. */
  repeated?: boolean;
}

/** Evaluates expressions: the sandbox, or a fake in tests. Both methods reject with an `EvaluationError`. */
export interface Evaluator {
  evaluate(request: Scope & { template: Template }): Promise<Value>;
  /** Tells whether the value is true as JSONata's `$boolean` decides. Undefined is false. */
  test(request: Scope & { expression: Expression }): Promise<boolean>;
}

/** The value of `$run`. */
export interface RunInfo {
  id: number;
  /** The flow of the run. An execution of a workflow has `workflowId` in its place. */
  flowId?: number;
  workflowId?: number;
  workspaceId: number;
  attempt: number;
  /** The start of the run, ISO 8601 in UTC with milliseconds. It is the run's time until the first journal entry. */
  startedAt: string;
}

export interface PerformRequest {
  effect: Effect;
  position: Position;
  /** The task of the plan. Its definition decides whether a retried run may reuse a journal entry. */
  task: Task;
  /** Tells whether only the asking branch, or tasks after its join, can reach a journal entry. */
  owns: (key: string) => boolean;
  /**
   * The time, in milliseconds since the epoch, at which the host stops the effect, journals `timed-out` and answers
   * with it. Never later than the run's own deadline.
   */
  deadline: number;
  /** Aborted when the run is cancelled or its lease is lost: the host then rejects and journals nothing. */
  signal: AbortSignal;
}

/**
 * The journalled end of an effect. `completedAt`, in milliseconds since the epoch, becomes the run's time. It is never
 * before that of an earlier entry, unless that is after the effect's deadline.
 */
export type Performed =
  | { kind: 'succeeded'; value: Json; completedAt: number }
  | { kind: 'failed'; problem: Omit<Problem, 'instance'>; completedAt: number }
  | { kind: 'timed-out'; completedAt: number };

/** The effect has begun and has not ended: the interpreter waits until `untilMs`, or for less, and asks again. */
export interface Pending {
  kind: 'pending';
  untilMs: number;
}

/** A journal entry of an outcome that depends on the machine or the clock, and that a replay could not compute again. */
export interface Note {
  key: string;
  performed: Performed;
}

/** One executed task, as it is shown. `input` and `output` are the values after their transformations. */
export interface Step {
  position: Position;
  kind: Task['kind'];
  status: 'SUCCESS' | 'FAILED' | 'SKIPPED';
  input: Value;
  output: Value;
  error: Problem | null;
  /** The host's time at the start and at the end, in milliseconds since the epoch; in a replay the run's time. */
  startedAt: number;
  completedAt: number;
}

/** A task that has begun, as an open step shows the task. */
export interface BegunStep {
  readonly position: Position;
  readonly kind: Task['kind'];
  /** The value after `input.from`, once the interpretation has transformed it. */
  readonly input: Value;
  /** The host's time at the start, in milliseconds since the epoch; in a replay the run's time. */
  readonly startedAt: number;
}

export interface Host {
  run: RunInfo;
  /** The run's input as JSON text, before the flow's own `input.from`. The host has checked it by `plan.inputSchema`. */
  input: string;
  /** The value of `$properties` as JSON text. */
  properties: string;
  /** The seed of `$random`, `$shuffle` and jitter: the id of the first run in the `retryOf` chain. */
  seed: string;
  /** The time at which the run times out, in milliseconds since the epoch. */
  deadline: number;
  evaluator: Evaluator;
  /** The host's clock, in milliseconds since the epoch. It decides whether a wait is due. */
  now(): number;
  /**
   * Carries the effect out and adds its end to the journal under `position.key`, or returns the journal's entry. The
   * entry is durable before the next effect begins; `perform` may resolve earlier, since work that follows from a
   * lost entry is computed again. A rejection is a failure of the host (such as an unreachable database or a lost
   * lease): it ends `interpret`, and no flow can catch it.
   */
  perform(request: PerformRequest): Promise<Performed | Pending>;
  /** Adds an entry to the journal, which is durable before the next effect begins. Rejects as `perform` does. */
  note(note: Note): Promise<void>;
  /** Returns the noted entry of the key. Each interpretation asks once for a key. */
  recall(key: string): Performed | undefined;
  /**
   * Returns the noted entry of the key, which decided how branches ended, and drops the earlier entries that
   * `droppedBy` names: the interpretation does not follow the branches of these entries again.
   */
  recallDecision(
    key: string,
    droppedBy: (decision: Performed) => (key: string) => boolean,
  ): Performed | undefined;
  /**
   * Adds the decision how branches ended to the journal, as `note` does. Drops the entries of the branches that did not
   * decide, which `isLost` names, and ends what their effects have begun elsewhere once the decision is durable: until
   * then a replay may decide otherwise.
   */
  noteDecision(decision: Note, isLost: (key: string) => boolean): Promise<void>;
  /** Forgets the entries of a key, which no interpretation that goes on from a later checkpoint asks for. */
  consume(key: string): void;
  /** Tells whether the journal has entries that this interpretation has not asked for yet; with a filter, such entries. */
  replaying(isOf: ((key: string) => boolean) | null): boolean;
  /** Tells whether a run in which no branch works may wait in this process until the time, instead of being suspended. */
  maySleep(untilMs: number): boolean;
  /** Waits until the time without a slot. Resolves as `woken` at a notification of the run. */
  sleep(untilMs: number, signal: AbortSignal): Promise<'due' | 'woken'>;
  /** The checkpoint from which the interpretation goes on; null at the beginning of the run. */
  checkpoint: Checkpoint | null;
  /** Tells whether a checkpoint now saves as much replay as the checkpoint costs. */
  wantsCheckpoint(when: 'running' | 'suspended'): boolean;
  /** Journals a checkpoint: the next interpretation goes on from it. Rejects as `perform` does. */
  saveCheckpoint(checkpoint: Checkpoint): Promise<void>;
  /**
   * Takes each task that begins or goes on. `record` with the same `position.key` ends it, and so do the end of the task
   * around it and the end of the run. A suspended run begins its open tasks again.
   */
  begin(step: BegunStep): void;
  /**
   * Takes each executed task, in order. A replay passes the same steps again, with the same `position.key`. The host
   * must buffer steps and not block.
   */
  record(step: Step): void;
  /**
   * Takes the estimated bytes of memory that the interpretation holds, before each task and effect. It may throw the
   * host's own failure when the memory is not available now: the run is then followed again later.
   */
  hold(bytes: number): void;
  /** Whether the run has to wait for a turn before its next task, however short its computation was. */
  isTurnDue(): boolean;
  /** Lets other work of the process go on. Resolves when the run may go on. */
  nextTurn(): Promise<void>;
  /** Aborted when the run is cancelled or another worker has claimed it: the interpretation ends. */
  signal: AbortSignal;
  /** After an abort, returns the error of the tasks in progress; null when another worker goes on with the run. */
  interruption(): FlowError | null;
}

/** The end of one interpretation of a run. */
export type Outcome =
  | { kind: 'succeeded'; output: Json }
  | { kind: 'failed'; error: Problem }
  /** The run's own deadline has passed (`RUN_TIMEOUT`). */
  | { kind: 'timed-out'; error: Problem }
  /**
   * The run waits until `wakeAt` (milliseconds since the epoch), or for less, when the host interprets it again.
   * The host journals the checkpoint, if there is one, in the same write as the suspension.
   */
  | { kind: 'suspended'; wakeAt: number; checkpoint: Checkpoint | null }
  /** The host aborted `signal`. */
  | { kind: 'aborted' };
