/** Executes the part that all kinds of tasks share: condition, data flow, timeout, position and record. */

import type { Task } from '../plan.ts';
import { deadlineAt } from './deadline.ts';
import { Evaluation } from './evaluation.ts';
import { checkDeadline, type Execution, type Result } from './execution.ts';
import type { Frame } from './frame.ts';
import type { Step, Value } from './host.ts';
import { executeKind } from './kinds.ts';
import { FlowError, flowError, runTimeout } from './problem.ts';
import type { Run } from './run.ts';
import { AbortedError, DeadlinePassedError } from './unwind.ts';

/** Executes a task. Returns the output after `output.as` and the next directive. */
export async function executeTask(
  run: Run,
  task: Task,
  input: Value,
  outer: Frame,
): Promise<Result> {
  await run.takeTurn();
  checkDeadline(run, outer.deadline.nearest);
  const position = run.counters.enter(task, outer.iteration);
  await run.checkDeadlineByClock(position.key, outer.deadline.nearest);
  const evaluation = new Evaluation(run, position.key);
  const frame = withTimeout(outer, run, task);
  const execution: Execution = { run, task, position, frame, evaluation, input };
  run.held.hold(input);
  const startedAt = run.now;
  const record = (status: Step['status'], output: Value, error: Step['error'] = null) => {
    const times = { startedAt, completedAt: run.now };
    const { kind } = task;
    run.host.record({ position, kind, status, input: execution.input, output, error, ...times });
  };
  try {
    if (task.if && !(await evaluation.truth(task.if, input, frame))) {
      record('SKIPPED', undefined);
      return { output: input };
    }
    const result = await follow(execution);
    record('SUCCESS', result.output);
    return { ...result, next: result.next ?? task.then };
  } catch (thrown) {
    const error = errorOf(thrown, execution, outer);
    const why = error ?? interruptionBy(thrown, run);
    if (why) record('FAILED', undefined, why.at(task.path).toProblem());
    throw error ?? thrown;
  } finally {
    run.held.release(input);
    if (execution.input !== input) run.held.release(execution.input);
  }
}

async function follow(execution: Execution): Promise<Result> {
  const { run, task, frame, evaluation } = execution;
  if (task.inputFrom) {
    const given = execution.input;
    execution.input = await evaluation.value(task.inputFrom, given, frame);
    if (execution.input !== given) run.held.hold(execution.input);
  }
  const result = await executeKind(execution);
  let output = result.output;
  if (task.outputAs) output = await evaluation.value(task.outputAs, output, frame);
  const madeOfInput = task.inputFrom && result.output === execution.input;
  if (task.outputAs || result.made || madeOfInput) run.usage.countOutput(output);
  run.setStep(task.name, output === undefined ? undefined : run.texts.of(output));
  if (task.exportAs) {
    const context = await evaluation.value(task.exportAs, output, frame);
    run.usage.countOutput(context);
    run.setContext(run.texts.of(context ?? {}));
  }
  return { ...result, output };
}

function withTimeout(outer: Frame, run: Run, { timeoutMs }: Task): Frame {
  if (timeoutMs === undefined) return outer;
  return { ...outer, deadline: deadlineAt(run.now + timeoutMs, outer.deadline) };
}

/** Returns the error of a task that the run's abort or an outer deadline ended; null when the task goes on later. */
function interruptionBy(thrown: unknown, { host, deadline }: Run): FlowError | null {
  if (thrown instanceof AbortedError) return host.interruption();
  if (!(thrown instanceof DeadlinePassedError)) return null;
  if (thrown.deadline === deadline) return runTimeout();
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
