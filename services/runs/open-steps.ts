import type { OpenStep } from '../../models/open-step.ts';
import type { RunDocument } from '../../models/run.model.ts';
import { hasEnded } from '../../models/run-status.ts';
import type { RunError } from './contract/resources.ts';
import { isInnermost } from './engine/execution/innermost-step.ts';
import { cancelled } from './engine/execution/run-errors.ts';
import type { ShownStep } from './show-step.ts';

/** The kinds of tasks that only wait. */
const WAITING_KINDS: ReadonlySet<OpenStep['kind']> = new Set(['wait', 'listen', 'run']);

/** The fields of a run that decide its open steps. */
export type RunWithOpenSteps = Pick<RunDocument, 'openSteps' | 'status' | 'error' | 'completedAt'>;
export const OPEN_STEP_FIELDS = { openSteps: 1, status: 1, error: 1, completedAt: 1 } as const;

/**
 * Returns the steps that are open now, as the run's last write knew them. The end of a run that came from outside its
 * interpretation has ended its open steps as well.
 */
export function openStepsOf(run: RunWithOpenSteps): ShownStep[] {
  const { openSteps, status } = run;
  const steps = openSteps?.steps ?? [];
  if (hasEnded(status)) return steps.map((open) => toShown(open, endOf(open, run)));
  const waits = (open: OpenStep) =>
    WAITING_KINDS.has(open.kind) || (status === 'WAITING' && isInnermost(open, steps));
  return steps.map((open) => {
    const end = { error: null, completedAt: null };
    return toShown(open, { status: waits(open) ? 'WAITING' : 'RUNNING', ...end });
  });
}

type StepEnd = Pick<ShownStep['step'], 'status' | 'error' | 'completedAt'>;

/** Makes the end of a step from the end of its run, as a worker that ends the run records it. */
function endOf({ path }: OpenStep, { error, completedAt }: RunWithOpenSteps): StepEnd {
  const problem = error === null ? cancelled().problem : (JSON.parse(error) as RunError);
  return {
    status: 'FAILED',
    error: JSON.stringify({ ...problem, instance: path }),
    completedAt: completedAt ?? null,
  };
}

const toShown = ({ id, key: _key, kind: _kind, ...step }: OpenStep, end: StepEnd): ShownStep => ({
  n: id,
  step: { ...step, output: null, ...end },
});
