/**
 * The position of one execution of a task in a run. All fields are the same in every replay, so that `key` finds the
 * journal's entry again.
 */
export interface Position {
  /** JSON pointer of the task in the file. */
  path: string;
  name: string;
  /** The numbers of the loop rounds from 0, outermost loop first, joined by `.`; empty outside loops. */
  iteration: string;
  /** The number of the visit from 1. Each jump back to the task in the same round raises it; a retry does not. */
  visit: number;
  /** The number of executions of this visit, from 1. Each retry raises it. */
  attempt: number;
  /** `<path>/<iteration>/<visit>/<attempt>`, unique in the run. */
  key: string;
}

export function positionOf(
  { path, name }: Pick<Position, 'path' | 'name'>,
  iteration: string,
  visit: number,
  attempt: number,
): Position {
  return { path, name, iteration, visit, attempt, key: `${path}/${iteration}/${visit}/${attempt}` };
}

/** Returns the key of the first attempt of the same visit; an empty key is its own. */
export const keyOfFirstAttempt = (key: string): string => key.replace(/\/\d+$/, '/1');

/** Returns the key of an effect of a run. A retry by `try` has the same key. */
export function effectKey(runId: string, position: Position): string {
  return `${runId}${position.path}/${position.iteration}/${position.visit}`;
}
