import type { OpenStep } from '../../models/open-step.ts';
import type { RunDocument } from '../../models/run.model.ts';
import { isWithin } from './engine/execution/open-steps.ts';
import type { ShownStep } from './show-step.ts';

/** The kinds of tasks that only wait. */
const WAITING_KINDS: ReadonlySet<OpenStep['kind']> = new Set(['wait', 'listen', 'run']);

/** Returns the steps that are open now, as the run's last write knew them. */
export function openStepsOf({
  openSteps,
  status,
}: Pick<RunDocument, 'openSteps' | 'status'>): ShownStep[] {
  const steps = openSteps?.steps ?? [];
  const waits = (open: OpenStep) =>
    WAITING_KINDS.has(open.kind) || (status === 'WAITING' && isInnermost(open, steps));
  return steps.map((open) => toShown(open, waits(open) ? 'WAITING' : 'RUNNING'));
}

/** Whether no other step is open within a step, such as in a `try` that waits for its next attempt. */
const isInnermost = (open: OpenStep, steps: readonly OpenStep[]): boolean =>
  !steps.some((other) => isWithin(other, open));

function toShown(
  { id, key: _key, kind: _kind, ...step }: OpenStep,
  status: 'RUNNING' | 'WAITING',
): ShownStep {
  return { n: id, step: { ...step, status, output: null, error: null, completedAt: null } };
}
