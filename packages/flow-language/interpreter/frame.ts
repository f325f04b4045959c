import type { Json } from '../plan.ts';
import type { Deadline } from './deadline.ts';

/** What tasks inherit from the tasks around them. Never changed: inner tasks get a new one. */
export interface Frame {
  /** Of loops (`$item`, `$index`) and of `catch` (`$error`), under the names the author gave. */
  readonly variables: Readonly<Record<string, Json>>;
  /** See `Position`. */
  readonly iteration: string;
  readonly deadline: Deadline;
}

export function withVariables(frame: Frame, variables: Readonly<Record<string, Json>>): Frame {
  return { ...frame, variables: { ...frame.variables, ...variables } };
}
