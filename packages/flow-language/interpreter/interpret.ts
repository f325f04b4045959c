import type { Plan } from '../plan.ts';
import { Evaluation } from './evaluation.ts';
import type { Frame } from './frame.ts';
import type { Host, Outcome } from './host.ts';
import { checkSize } from './limits.ts';
import { executeList } from './list.ts';
import { FlowError, runTimeout } from './problem.ts';
import { Run } from './run.ts';
import { AbortedError, DeadlinePassedError, Suspension } from './unwind.ts';

/**
 * Follows a run from its beginning to its end, a suspension or an abort. It rejects only with failures of the host;
 * each failure of the flow is an outcome.
 */
export async function interpret(plan: Plan, host: Host): Promise<Outcome> {
  const run = new Run(plan, host);
  try {
    const outcome = await follow(plan, run);
    run.checkAborted();
    return outcome;
  } catch (thrown) {
    return outcomeOf(thrown, run);
  }
}

async function follow(plan: Plan, run: Run): Promise<Outcome> {
  const frame: Frame = { variables: {}, iteration: '', deadline: run.deadline };
  const evaluation = new Evaluation(run, '');
  const input = run.input.toJSON();
  const first = plan.inputFrom ? await evaluation.value(plan.inputFrom, input, frame) : input;
  run.held.hold(first);
  const last = await executeList(run, plan.tasks, first, frame);
  const output = plan.outputAs
    ? await evaluation.value(plan.outputAs, last.output, frame)
    : last.output;
  checkSize(output);
  return { kind: 'succeeded', output: output ?? null };
}

function outcomeOf(thrown: unknown, { host, deadline }: Run): Outcome {
  if (thrown instanceof AbortedError || host.signal.aborted) return { kind: 'aborted' };
  if (thrown instanceof Suspension) {
    const { wakeAt, note } = thrown;
    return { kind: 'suspended', wakeAt, ...(note ? { note } : {}) };
  }
  if (thrown instanceof FlowError) return { kind: 'failed', error: thrown.toProblem() };
  if (thrown instanceof DeadlinePassedError && thrown.deadline === deadline) {
    return { kind: 'timed-out', error: runTimeout().toProblem() };
  }
  throw thrown;
}
