/** Executes `try` and `catch`: filters the errors, repeats the list, executes `catch.do`. */
import type { ErrorFilter, TryTask } from '../../plan.ts';
import { deadlineAt } from '../deadline.ts';
import type { Execution, Result } from '../execution.ts';
import { type Frame, withVariables } from '../frame.ts';
import { executeList } from '../list.ts';
import { FlowError, flowError, type Problem } from '../problem.ts';
import { DeadlinePassedError } from '../unwind.ts';
import { Retries } from './retry.ts';

export async function attempt(execution: Execution<TryTask>): Promise<Result> {
  const retries = new Retries(execution);
  try {
    for (;;) {
      try {
        return await tryOnce(execution);
      } catch (thrown) {
        const error = await catchError(execution, thrown);
        if (!(await retries.prepareNext(withError(execution, error)))) {
          return await recover(execution, error);
        }
      }
    }
  } finally {
    retries.end();
  }
}

async function tryOnce(execution: Execution<TryTask>): Promise<Result> {
  const { run, task, input, frame } = execution;
  const limitMs = task.catch.retry?.attemptDurationMs;
  if (limitMs === undefined) return executeList(run, task.tasks, input, frame);
  const deadline = deadlineAt(run.now + limitMs, frame.deadline);
  try {
    return await executeList(run, task.tasks, input, { ...frame, deadline });
  } catch (thrown) {
    if (!(thrown instanceof DeadlinePassedError) || thrown.deadline !== deadline) throw thrown;
    const detail = `an attempt of ${task.name} took longer than ${limitMs} ms`;
    throw flowError('timeout', 'TASK_TIMEOUT', detail).at(task.path);
  }
}

/** Returns the error that `catch` takes, and throws every other error again. */
async function catchError(execution: Execution<TryTask>, thrown: unknown): Promise<Problem> {
  if (!(thrown instanceof FlowError)) throw thrown;
  const { task, input, evaluation } = execution;
  const { errors, when, exceptWhen } = task.catch;
  const error = thrown.toProblem();
  if (errors && !matches(errors, error)) throw thrown;
  const frame = withError(execution, error);
  if (when && !(await evaluation.truth(when, input, frame))) throw thrown;
  if (exceptWhen && (await evaluation.truth(exceptWhen, input, frame))) throw thrown;
  return error;
}

function matches(filter: ErrorFilter, error: Problem): boolean {
  const fields = ['type', 'status', 'title', 'instance'] as const;
  return fields.every((field) => filter[field] === undefined || filter[field] === error[field]);
}

function withError({ task, frame }: Execution<TryTask>, error: Problem): Frame {
  return withVariables(frame, { [task.catch.as]: { ...error } });
}

/**
 * Ends a `try` after its last attempt: executes `catch.do`. Without `catch.do` the error is thrown again when there is
 * a retry policy, and ignored when there is none.
 */
async function recover(execution: Execution<TryTask>, error: Problem): Promise<Result> {
  const { run, task, input } = execution;
  if (task.catch.tasks) {
    return executeList(run, task.catch.tasks, input, withError(execution, error));
  }
  if (task.catch.retry) throw new FlowError(error);
  return { output: input };
}
