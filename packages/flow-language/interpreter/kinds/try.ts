/** Executes `try` and `catch`: filters the errors, repeats the list, executes `catch.do`. */
import type { ErrorFilter, TryTask } from '../../plan.ts';
import type { Branch } from '../branch.ts';
import { deadlineAt } from '../deadline.ts';
import { compositeOf, type Execution, markStablePoint, type Result } from '../execution.ts';
import { type Frame, withVariables } from '../frame.ts';
import type { JsonText } from '../json-text.ts';
import { executeList } from '../list.ts';
import { namesWithin } from '../names.ts';
import { FlowError, flowError, type Problem } from '../problem.ts';
import { beginList, type TryState } from '../state.ts';
import { DeadlinePassedError } from '../unwind.ts';
import { VisitLog } from '../visit-log.ts';
import { attemptDeadlineOf, prepareRetry } from './retry.ts';

export async function attempt(execution: Execution<TryTask>): Promise<Result> {
  const { branch } = execution;
  const attempts = compositeOf(execution, 'try', () => begin(execution));
  holdAll(branch, attempts);
  try {
    for (;;) {
      try {
        if (attempts.phase === 'catch') break;
        return await tryOnce(execution, attempts);
      } catch (thrown) {
        const error = await catchError(execution, thrown);
        if (await prepareRetry(execution, attempts, withError(execution, error))) continue;
        if (!execution.task.catch.tasks) return ignore(execution, error);
        Object.assign(attempts, { phase: 'catch', error, list: beginList(execution.input) });
        markStablePoint(execution);
      }
    }
    return await recover(execution, attempts);
  } finally {
    branch.run.counters.close(attempts.visits);
    for (const text of textsOf(attempts)) branch.run.held.release(text);
  }
}

function begin({ branch, task, input, frame }: Execution<TryTask>): Omit<TryState, 'kind'> {
  return {
    input,
    phase: 'try',
    retries: 0,
    startedAt: branch.now,
    attemptDeadlineAt: attemptDeadlineOf(branch.now, task),
    visits: new VisitLog(frame.visits),
    context: branch.context,
    exported: branch.hasExported,
    steps: task.catch.retry
      ? namesWithin(task.tasks).map((name) => [name, branch.steps[name]] as const)
      : [],
    error: null,
    list: beginList(input),
  };
}

const textsOf = ({ context, steps }: TryState): (JsonText | undefined)[] => [
  context,
  ...steps.map(([, text]) => text),
];

function holdAll(branch: Branch, attempts: TryState): void {
  for (const text of textsOf(attempts)) branch.run.held.hold(text);
}

async function tryOnce(execution: Execution<TryTask>, attempts: TryState): Promise<Result> {
  const { branch, task } = execution;
  const { attemptDeadlineAt: at, list, visits } = attempts;
  // Only retries take visits back.
  const frame = task.catch.retry ? { ...execution.frame, visits } : execution.frame;
  if (at === null) return executeList(branch, task.tasks, list, frame);
  const deadline = deadlineAt(at, frame.deadline);
  try {
    return await executeList(branch, task.tasks, list, { ...frame, deadline });
  } catch (thrown) {
    if (!(thrown instanceof DeadlinePassedError) || thrown.deadline !== deadline) throw thrown;
    const detail = `an attempt of ${task.name} took longer than ${task.catch.retry?.attemptDurationMs} ms`;
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

/** Ends a `try` without `catch.do`: the error goes on when there is a retry policy, and is ignored when there is none. */
function ignore({ task, input }: Execution<TryTask>, error: Problem): Result {
  if (task.catch.retry) throw new FlowError(error);
  return { output: input };
}

/** Executes `catch.do` with the error of the last attempt, which is the cause of an error in it. */
async function recover(execution: Execution<TryTask>, { error, list }: TryState): Promise<Result> {
  const { branch, task } = execution;
  if (!error) throw new Error('a try has no error to recover from');
  try {
    return await executeList(branch, task.catch.tasks ?? [], list, withError(execution, error));
  } catch (thrown) {
    throw thrown instanceof FlowError ? thrown.causedBy(error) : thrown;
  }
}
