/** Executes the part that all kinds of tasks share: condition, data flow, timeout, position and record. */

import type { Task } from '../plan.ts';
import type { Branch } from './branch.ts';
import { deadlineAt } from './deadline.ts';
import { Evaluation } from './evaluation.ts';
import { checkDeadline, type Execution, type Result } from './execution.ts';
import type { Frame } from './frame.ts';
import type { Step, Value } from './host.ts';
import { limitsDuration } from './kinds/retry.ts';
import { executeKind } from './kinds.ts';
import { checkSize } from './limits.ts';
import { FlowError, flowError, runTimeout } from './problem.ts';
import type { ListState, TaskState } from './state.ts';
import { AbortedError, DeadlinePassedError } from './unwind.ts';

/** The most milliseconds by which the timeout of a call may begin too early. Behind a larger lag its begin is journalled. */
const MAX_IGNORED_LAG_MS = 50;

/**
 * The kinds of tasks that end by an event outside the run. The host decides by the time of the event whether such a
 * task ends in time, because the event may have come before the deadline and the interpretation may go on after it.
 */
const EVENT_KINDS: ReadonlySet<Task['kind']> = new Set(['listen', 'run']);

/** Executes the next task of a list, or goes on with the task under way. Returns the output and the next directive. */
export async function executeTask(
  branch: Branch,
  task: Task,
  list: ListState,
  outer: Frame,
): Promise<Result> {
  const known = list.task?.outcome;
  if (known?.kind === 'result') return known.result;
  if (known?.kind === 'error') throw new FlowError(known.problem);
  if (known?.kind === 'late') throw new DeadlinePassedError(outer.deadline.nearest);
  const isResumed = list.task !== null;
  if (list.task && !list.task.composite && !list.task.made) branch.now = list.task.startedAt;
  const state = list.task ?? (await beginTask(branch, task, list, outer));
  try {
    const asksClock = !isResumed && !EVENT_KINDS.has(task.kind);
    await branch.checkDeadlineByClock(state.position.key, outer.deadline.nearest, asksClock);
  } catch (thrown) {
    if (thrown instanceof DeadlinePassedError) state.outcome = { kind: 'late' };
    throw thrown;
  }
  await beginTimeLimit(branch, task, state);
  return continueTask(executionOf(branch, task, list.input, state, outer), outer);
}

/** Begins a task: from here on the list's state has the position of the task. */
async function beginTask(
  branch: Branch,
  task: Task,
  list: ListState,
  outer: Frame,
): Promise<TaskState> {
  await branch.takeTurn();
  await branch.run.offerCheckpoint();
  checkDeadline(branch, outer.deadline.nearest);
  list.task = {
    position: branch.run.counters.enter(task, outer.iteration, outer.visits),
    startedAt: branch.now,
    startedAtClock: branch.isReplaying ? null : branch.host.now(),
    deadlineAt: null,
    evaluations: 0,
    composite: null,
    made: null,
    outcome: null,
  };
  return list.task;
}

/** Begins the time limits of a task that has done nothing yet: its own timeout, and the durations of its retries. */
async function beginTimeLimit(branch: Branch, task: Task, state: TaskState): Promise<void> {
  if (state.composite || state.made || state.deadlineAt !== null) return;
  const { timeoutMs } = task;
  const hasLimit = timeoutMs !== undefined || (task.kind === 'try' && limitsDuration(task));
  if (!hasLimit) return;
  await branch.advanceToClock(state.position.key, ignoredLagOf(task));
  state.startedAt = branch.now;
  if (timeoutMs !== undefined) state.deadlineAt = branch.now + timeoutMs;
}

/** The milliseconds by which the limit of a task may begin too early, so that few calls with a timeout journal their begin. */
function ignoredLagOf({ kind, timeoutMs = 0 }: Task): number {
  return kind.startsWith('call-') ? Math.min(timeoutMs / 20, MAX_IGNORED_LAG_MS) : -1;
}

function executionOf(
  branch: Branch,
  task: Task,
  input: Value,
  state: TaskState,
  outer: Frame,
): Execution {
  const { position, deadlineAt: at, composite, made, evaluations } = state;
  const frame = at === null ? outer : { ...outer, deadline: deadlineAt(at, outer.deadline) };
  const evaluation = new Evaluation(branch, position.key, evaluations);
  // The state's input may be null or undefined: `input.from` is not repeated then either.
  const given = (made ?? composite ?? { input }).input;
  return { branch, task, position, state, frame, evaluation, input: given };
}

/** Executes a task that has begun, from its last stable point, and keeps its outcome in its state. */
async function continueTask(execution: Execution, outer: Frame): Promise<Result> {
  const { branch, state, task } = execution;
  const given = execution.input;
  const { position } = state;
  branch.run.held.hold(given);
  branch.host.begin({
    position,
    kind: task.kind,
    startedAt: shownStartOf(state),
    get input() {
      return execution.input;
    },
  });
  try {
    return await follow(execution);
  } catch (thrown) {
    const error = errorOf(thrown, execution, outer);
    if (error) state.outcome = { kind: 'error', problem: error.toProblem() };
    else if (thrown instanceof DeadlinePassedError) state.outcome = { kind: 'late' };
    const why = error ?? interruptionBy(thrown, branch);
    if (why) record(execution, 'FAILED', undefined, why.at(task.path).toProblem());
    throw error ?? thrown;
  } finally {
    branch.run.held.release(given);
    if (execution.input !== given) branch.run.held.release(execution.input);
  }
}

function record(
  { branch, task, position, state, input }: Execution,
  status: Step['status'],
  output: Value,
  error: Step['error'] = null,
): void {
  const startedAt = shownStartOf(state);
  const clock = state.startedAtClock === null ? startedAt : branch.host.now();
  const times = { startedAt, completedAt: Math.max(startedAt, clock, branch.now) };
  branch.host.record({ position, kind: task.kind, status, input, output, error, ...times });
}

/**
 * The start that a step shows: by the host's clock, because computing does not advance the run's time, and in the run's
 * time for a task that began in a replay.
 */
const shownStartOf = ({ startedAt, startedAtClock }: TaskState): number =>
  Math.max(startedAt, startedAtClock ?? 0);

async function follow(execution: Execution): Promise<Result> {
  const { branch, task, state, frame, evaluation } = execution;
  if (state.made) return exportContext(execution, state.made.result);
  const isNew = state.composite === null;
  const given = execution.input;
  if (isNew && task.if && !(await evaluation.truth(task.if, given, frame))) {
    return complete(execution, 'SKIPPED', { output: given });
  }
  if (isNew && task.inputFrom) {
    execution.input = await evaluation.value(task.inputFrom, given, frame);
    if (execution.input !== given) branch.run.held.hold(execution.input);
  }
  const result = await executeKind(execution);
  const output = await shapeOutput(execution, result);
  const made = { ...result, output, next: result.next ?? task.then };
  const text = output === undefined ? undefined : branch.run.texts.of(output);
  branch.setStep(task.name, text);
  return exportContext(execution, made);
}

/** Transforms the output by `output.as`. */
async function shapeOutput(execution: Execution, { output, hasNewOutput }: Result): Promise<Value> {
  const { task, input, frame, evaluation } = execution;
  const shaped = task.outputAs ? await evaluation.value(task.outputAs, output, frame) : output;
  const madeOfInput = task.inputFrom && output === input;
  if (task.outputAs || hasNewOutput || madeOfInput) checkSize(shaped);
  return shaped;
}

/** Sets `$context` by `export.as`, which may read the step. A task that goes on from here repeats nothing but the export. */
async function exportContext(execution: Execution, result: Result): Promise<Result> {
  const { branch, task, state, frame, evaluation } = execution;
  if (!task.exportAs) return complete(execution, 'SUCCESS', result);
  state.made = { input: execution.input, result };
  state.evaluations = evaluation.counter;
  const context = await evaluation.value(task.exportAs, result.output, frame);
  checkSize(context);
  branch.setContext(branch.run.texts.of(context === undefined ? {} : context));
  return complete(execution, 'SUCCESS', result);
}

/** Keeps the outcome in the task's state, and records the step. */
function complete(execution: Execution, status: 'SUCCESS' | 'SKIPPED', result: Result): Result {
  execution.state.outcome = { kind: 'result', result };
  record(execution, status, status === 'SUCCESS' ? result.output : undefined);
  return result;
}

/** Returns the error of a task that an interruption or an outer deadline ended; null when the task goes on later. */
function interruptionBy(thrown: unknown, { host, run, isCancelled }: Branch): FlowError | null {
  if (thrown instanceof AbortedError) {
    return isCancelled
      ? flowError('runtime', 'CANCELLED', 'another branch has ended the fork')
      : host.interruption();
  }
  if (!(thrown instanceof DeadlinePassedError)) return null;
  if (thrown.deadline === run.deadline) return runTimeout();
  return flowError('timeout', 'TASK_TIMEOUT', 'a task around this one took longer than it may');
}

/** Returns the error of the flow that ended the task; null when something else ended the task. */
function errorOf(thrown: unknown, { task, frame }: Execution, outer: Frame): FlowError | null {
  if (thrown instanceof FlowError) return thrown.at(task.path);
  const own =
    frame !== outer && thrown instanceof DeadlinePassedError && thrown.deadline === frame.deadline;
  if (!own) return null;
  const detail = `${task.name} took longer than ${task.timeoutMs} ms`;
  return flowError('timeout', 'TASK_TIMEOUT', detail).at(task.path);
}
