import type { OpenStep } from '../../../../models/open-step.ts';

/** The place of a task in the run. */
type Place = Pick<OpenStep, 'path' | 'iteration'>;

/** Whether a task is within another one, in the same round of the loops around that one. */
export function isWithin(inner: Place, outer: Place): boolean {
  if (!inner.path.startsWith(`${outer.path}/`)) return false;
  return outer.iteration === '' || `${inner.iteration}.`.startsWith(`${outer.iteration}.`);
}

/** Whether no other task is open within a task, such as in a `try` that waits for its next attempt. */
export const isInnermost = (task: Place, open: readonly Place[]): boolean =>
  !open.some((other) => isWithin(other, task));

/** Finds the first open task that has no open task within it. */
export const firstInnermost = <P extends Place>(open: readonly P[]): P | undefined =>
  open.find((task) => isInnermost(task, open));
