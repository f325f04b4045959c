/**
 * The interpreter's only way to the world: it knows neither Moleculer nor MongoDB nor the clock.
 *
 * A run is followed from its beginning each time. What has an outside effect goes through
 * `perform`, whose answer the host journals before the next effect begins and with the run's end at
 * the latest; on a replay it gives what the journal has. Everything else is computed again from those
 * answers and comes out the same.
 */
import type { Expression, Json, Task, Template } from '../plan.ts';
import type { Effect } from './effect.ts';
import type { Position } from './position.ts';
import type { FlowError, Problem } from './problem.ts';

/** What an expression yields; undefined is "no value", which null isn't. */
export type Value = Json | undefined;

/** What surrounds an expression. `now` is in milliseconds since the epoch. */
export interface Scope {
  /** `$`. */
  input: Value;
  /**
   * By name without `$`; only those that the expression names are sent to it. Some, and members of
   * some, are a `JsonText`.
   */
  variables: Readonly<Record<string, Value>>;
  /** What `$millis()` and `$now()` give. */
  now: number;
  /** What `$random()` and `$shuffle()` follow. */
  seed: string;
  /** It was evaluated before and met no limit: it gets more time than it had then. */
  repeated?: boolean;
}

/** Evaluates expressions: the sandbox, or a fake in tests. Rejects with an `EvaluationError`. */
export interface Evaluator {
  evaluate(request: Scope & { template: Template }): Promise<Value>;
  /** Whether the value is true in the sense of `$boolean`; undefined isn't. */
  test(request: Scope & { expression: Expression }): Promise<boolean>;
}

/** `$run`. */
export interface RunInfo {
  id: number;
  flowId: number | null;
  workspaceId: number;
  attempt: number;
  /** ISO 8601 in UTC with milliseconds; also the run's time until its first journal entry. */
  startedAt: string;
}

export interface PerformRequest {
  effect: Effect;
  position: Position;
  /** The task as planned: its definition decides whether a retried run may reuse an entry. */
  task: Task;
  /**
   * Milliseconds since the epoch at which the host gives the effect up, journals that and answers
   * `timed-out`; the run's own deadline at the latest.
   */
  deadline: number;
  /** Aborted when the run is cancelled or lost: then reject with anything, and journal nothing. */
  signal: AbortSignal;
}

/**
 * How an effect ended, as journalled. `completedAt` in milliseconds since the epoch, never
 * before an earlier entry's; it is the run's time from here on.
 */
export type Performed =
  | { kind: 'succeeded'; value: Json; completedAt: number }
  | { kind: 'failed'; problem: Omit<Problem, 'instance'>; completedAt: number }
  | { kind: 'timed-out'; completedAt: number };

/** What a machine or a clock did to pure work: nobody knows whether it would happen again. */
export interface Note {
  key: string;
  performed: Performed;
}

/** One executed task, for people to look at. `input` and `output` as transformed. */
export interface Step {
  position: Position;
  kind: Task['kind'];
  status: 'SUCCESS' | 'FAILED' | 'SKIPPED';
  input: Value;
  output: Value;
  error: Problem | null;
  /** The run's time, in milliseconds since the epoch. */
  startedAt: number;
  completedAt: number;
}

export interface Host {
  run: RunInfo;
  /** `$input` before the top `input.from`, as JSON; checked against `plan.inputSchema` by the host. */
  input: string;
  /** `$properties`. */
  properties: Json;
  /** Of `$random`, `$shuffle` and jitter: the id of the first run in the `retryOf` chain. */
  seed: string;
  /** When the run times out, in milliseconds since the epoch. */
  deadline: number;
  evaluator: Evaluator;
  /** The host's clock, in milliseconds since the epoch: whether a wait is due. */
  now(): number;
  /**
   * Carries an effect out and notes its end under `position.key`, or gives the journal's entry without
   * doing anything. An end that was noted is durable before the next effect is carried out; the host
   * may resolve before that, since pure work that followed from a lost end is computed again. A rejection
   * is the host's own failure (database away, overtaken by another worker): it ends `interpret` and no
   * flow can catch it.
   */
  perform(request: PerformRequest): Promise<Performed>;
  /** Notes an entry, which is durable before the next effect is carried out. Rejects as `perform` does. */
  note(note: Note): Promise<void>;
  /** What was noted under the key; asked for once in each interpretation. */
  recall(key: string): Performed | undefined;
  /** Whether the journal has entries that this interpretation has not asked for yet. */
  replaying(): boolean;
  /**
   * Told of each task's end, in order; a replay tells of the same ones again, with the same
   * `position.key`. Must not wait: the host buffers.
   */
  record(step: Step): void;
  /**
   * Told before each task and effect about how many bytes of memory the interpretation holds. May
   * throw its own failure when there is no room for that now: the run is followed again later.
   */
  hold(bytes: number): void;
  /** Ends the interpretation: cancelled, or another worker has taken the run over. */
  signal: AbortSignal;
  /** Once it is aborted: what the tasks under way end with; null when the run goes on elsewhere. */
  interruption(): FlowError | null;
}

/** How far a run got. */
export type Outcome =
  | { kind: 'succeeded'; output: Json }
  | { kind: 'failed'; error: Problem }
  /** The run's own deadline has passed (`RUN_TIMEOUT`). */
  | { kind: 'timed-out'; error: Problem }
  /**
   * Nothing to do before `wakeAt` (milliseconds since the epoch): interpret again then. The note is to be
   * journalled in the same write.
   */
  | { kind: 'suspended'; wakeAt: number; note?: Note }
  /** `signal` was aborted; the host knows why. */
  | { kind: 'aborted' };
