import type { Json } from '../plan.ts';
import type { Deadline } from './deadline.ts';
import type { VisitLog } from './visit-log.ts';

/** The values that a task inherits from the tasks around it. A frame is never changed: inner tasks get a new frame. */
export interface Frame {
  /** The variables of loops (`$item`, `$index`) and of `catch` (`$error`), by the names that the author gave. */
  readonly variables: Readonly<Record<string, Json>>;
  /** The `iteration` of the positions of tasks in this frame, see `Position`. */
  readonly iteration: string;
  readonly deadline: Deadline;
  /** The visits that the innermost `try` or branch around the task takes back or hands on; null where none does. */
  readonly visits: VisitLog | null;
}

export function withVariables(frame: Frame, variables: Readonly<Record<string, Json>>): Frame {
  return { ...frame, variables: { ...frame.variables, ...variables } };
}
