/** The limits of one run (flow language, section 6). */
import type { Value } from './host.ts';
import { jsonOf } from './json-text.ts';
import { flowError } from './problem.ts';

/** Rounds of loops, jumps back and retries of one run together. Beyond this number the run fails with `LOOP_LIMIT`. */
export const MAX_ROUNDS = 10_000;

/** Executed tasks of one run. Beyond this number the run fails with `RUN_TOO_LARGE`. */
export const MAX_TASKS_EXECUTED = 1_000_000;

/**
 * Estimated bytes of memory of one interpretation: its values (parsed, up to twenty times the size of their JSON),
 * `$steps`, `$context` and the counters of visits. Beyond this size the run fails with `RUN_TOO_LARGE`.
 */
export const MAX_HELD_BYTES = 128 * 1024 * 1024;

/** Bytes of one output as JSON in UTF-8. Beyond this size the task fails with `OUTPUT_TOO_LARGE`. */
export const MAX_OUTPUT_BYTES = 512 * 1024;

/** Bytes of `$steps` and `$context` of a run together, as JSON. Beyond this size the run fails with `RUN_TOO_LARGE`. */
export const MAX_STATE_BYTES = 8 * 1024 * 1024;

/** Bytes of all journalled results of a run with their keys, as JSON. Beyond this size the run fails with `RUN_TOO_LARGE`. */
export const MAX_JOURNAL_BYTES = 32 * 1024 * 1024;

/** The use of the limits that add up over a run. */
export interface UsageCounts {
  rounds: number;
  tasks: number;
  /** Bytes of journalled results and their keys. */
  journalBytes: number;
}

/** Counts the use of the limits by a run, or by one of its branches. The use by a branch counts for the run as well. */
export class Usage {
  readonly #outer: Usage | null;
  #rounds: number;
  #tasks: number;
  #journalBytes: number;

  constructor(outer: Usage | null = null, counts?: UsageCounts) {
    this.#outer = outer;
    this.#rounds = counts?.rounds ?? 0;
    this.#tasks = counts?.tasks ?? 0;
    this.#journalBytes = counts?.journalBytes ?? 0;
  }

  get counts(): UsageCounts {
    return { rounds: this.#rounds, tasks: this.#tasks, journalBytes: this.#journalBytes };
  }

  /** Adds the use of the limits by branches that are not followed again. */
  add({ rounds, tasks, journalBytes }: UsageCounts): void {
    this.#rounds += rounds;
    this.#tasks += tasks;
    this.#journalBytes += journalBytes;
    this.#outer?.add({ rounds, tasks, journalBytes });
  }

  /** Counts a round of a loop, a jump back or a retry. Throws `LOOP_LIMIT`. */
  countRound(): void {
    this.#rounds += 1;
    if (this.#outer) this.#outer.countRound();
    else if (this.#rounds > MAX_ROUNDS) {
      throw flowError('runtime', 'LOOP_LIMIT', `the run has made ${MAX_ROUNDS} loop rounds`);
    }
  }

  /** Counts an executed task. Throws `RUN_TOO_LARGE`. */
  countTask(): void {
    this.#tasks += 1;
    if (this.#outer) this.#outer.countTask();
    else if (this.#tasks > MAX_TASKS_EXECUTED) {
      const detail = `the run has executed ${MAX_TASKS_EXECUTED} tasks`;
      throw flowError('runtime', 'RUN_TOO_LARGE', detail);
    }
  }

  /**
   * Counts the key of a journal entry; `countResult` counts the entry's value. Throws `RUN_TOO_LARGE` before the entry
   * is made, because a flow that catches the error could otherwise go on without end.
   */
  countEntry(key: string): void {
    this.checkRoom();
    this.#countBytes(key.length);
  }

  /** Counts a journalled result, before `output.as`. Throws `OUTPUT_TOO_LARGE` and `RUN_TOO_LARGE`. */
  countResult(result: Value): void {
    this.#countBytes(checkSize(result));
    this.checkRoom();
  }

  checkRoom(): void {
    this.#outer?.checkRoom();
    if (this.#outer || this.#journalBytes <= MAX_JOURNAL_BYTES) return;
    const detail = `the journalled results of the run are larger than ${MAX_JOURNAL_BYTES} bytes`;
    throw flowError('runtime', 'RUN_TOO_LARGE', detail);
  }

  #countBytes(bytes: number): void {
    this.#journalBytes += bytes;
    if (this.#outer) this.#outer.#countBytes(bytes);
  }
}

/** Throws `RUN_TOO_LARGE` when an interpretation holds too much memory. */
export function checkWeight(bytes: number): void {
  if (bytes <= MAX_HELD_BYTES) return;
  const detail = `the run needs more than ${MAX_HELD_BYTES} bytes of memory`;
  throw flowError('runtime', 'RUN_TOO_LARGE', detail);
}

/** Returns the bytes of an output. Throws `OUTPUT_TOO_LARGE`. */
export function checkSize(output: Value): number {
  const bytes = output === undefined ? 0 : Buffer.byteLength(jsonOf(output));
  if (bytes > MAX_OUTPUT_BYTES) {
    const detail = `the output has ${bytes} bytes, more than ${MAX_OUTPUT_BYTES}`;
    throw flowError('runtime', 'OUTPUT_TOO_LARGE', detail);
  }
  return bytes;
}
