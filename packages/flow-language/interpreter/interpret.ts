import type { Plan } from '../plan.ts';
import { Branch } from './branch.ts';
import { Evaluation } from './evaluation.ts';
import type { Frame } from './frame.ts';
import type { Host, Outcome } from './host.ts';
import { checkSize } from './limits.ts';
import { executeList } from './list.ts';
import { literalOf } from './literal.ts';
import { loadCheckpoint } from './load-checkpoint.ts';
import { FlowError, runTimeout } from './problem.ts';
import { Run } from './run.ts';
import { beginList, type ListState } from './state.ts';
import { AbortedError, DeadlinePassedError, Suspension } from './unwind.ts';

/**
 * Follows a run from its beginning, or from the host's checkpoint, to its end, a suspension or an abort. It rejects
 * only with failures of the host; each failure of the flow is an outcome.
 */
export async function interpret(plan: Plan, host: Host): Promise<Outcome> {
  const run = new Run(plan, host);
  const { branch, list } = host.checkpoint ? loadCheckpoint(run, host.checkpoint) : begin(run);
  if (host.signal.aborted) branch.abort('interrupted');
  host.signal.addEventListener('abort', () => branch.abort('interrupted'), { once: true });
  try {
    const outcome = await follow(run, branch, list);
    branch.checkAborted();
    return outcome;
  } catch (thrown) {
    return outcomeOf(thrown, run);
  }
}

function begin(run: Run): { branch: Branch; list: ListState | null } {
  const branch = new Branch(run, null, {
    now: Date.parse(run.host.run.startedAt),
    context: run.texts.of({}),
    exported: true,
    steps: new Map(),
    usage: { rounds: 0, tasks: 0, journalBytes: 0 },
  });
  return { branch, list: null };
}

async function follow(run: Run, branch: Branch, known: ListState | null): Promise<Outcome> {
  const { plan } = run;
  const frame: Frame = { variables: {}, iteration: '', deadline: run.deadline, visits: null };
  // The flow's own evaluations have no key: `input.from` is the first of them, also where it is not repeated.
  const isEvaluated = plan.inputFrom !== undefined && literalOf(plan.inputFrom) === null;
  const evaluation = new Evaluation(branch, '', known && isEvaluated ? 1 : 0);
  const list = known ?? beginList(await firstInput(run, frame, evaluation));
  run.held.hold(list.input);
  run.setRoot(branch, list);
  const last = await executeList(branch, plan.tasks, list, frame);
  const output = plan.outputAs
    ? await evaluation.value(plan.outputAs, last.output, frame)
    : last.output;
  checkSize(output);
  return { kind: 'succeeded', output: output ?? null };
}

function firstInput({ input, plan }: Run, frame: Frame, evaluation: Evaluation) {
  const given = input.toJSON();
  return plan.inputFrom ? evaluation.value(plan.inputFrom, given, frame) : given;
}

function outcomeOf(thrown: unknown, { host, deadline }: Run): Outcome {
  if (thrown instanceof AbortedError || host.signal.aborted) return { kind: 'aborted' };
  if (thrown instanceof Suspension) {
    const { wakeAt, checkpoint } = thrown;
    return { kind: 'suspended', wakeAt, checkpoint };
  }
  if (thrown instanceof FlowError) return { kind: 'failed', error: thrown.toProblem() };
  if (thrown instanceof DeadlinePassedError && thrown.deadline === deadline) {
    return { kind: 'timed-out', error: runTimeout().toProblem() };
  }
  throw thrown;
}
