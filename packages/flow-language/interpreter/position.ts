/**
 * Where in a run a task is executed. The four numbers and names are the same in every replay,
 * so `key` finds the journal's entry again.
 */
export interface Position {
  /** JSON pointer of the task in the file. */
  path: string;
  name: string;
  /** Round numbers from 0, outermost loop first, joined by `.`; empty outside loops. */
  iteration: string;
  /** From 1; each jump back to the task in the same round raises it, a retry doesn't. */
  visit: number;
  /** From 1; how many times this visit has been executed: retries raise it. */
  attempt: number;
  /** Unique in the run: `<path>/<iteration>/<visit>/<attempt>`. */
  key: string;
}

/** The `Idempotency-Key` of an outbound call: stays when a `try` repeats it. */
export function idempotencyKey(runId: string, position: Position): string {
  return `${runId}${position.path}/${position.iteration}/${position.visit}`;
}
