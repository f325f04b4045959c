/** The limits of one run. */
import type { Value } from './host.ts';
import { jsonOf } from './json-text.ts';
import { flowError } from './problem.ts';

/** Rounds of loops, jumps back and retries of one run together. Beyond it the run fails with `LOOP_LIMIT`. */
export const MAX_ROUNDS = 10_000;

/** Executed tasks of one run. Beyond it the run fails with `RUN_TOO_LARGE`. */
export const MAX_TASKS_EXECUTED = 1_000_000;

/**
 * Estimated bytes of memory of one interpretation: its values (parsed, up to twenty times the size of their JSON),
 * `$steps`, `$context` and the counters of visits. Beyond it the run fails with `RUN_TOO_LARGE`.
 */
export const MAX_HELD_BYTES = 128 * 1024 * 1024;

/** Bytes of one output as JSON in UTF-8. Beyond it the task fails with `OUTPUT_TOO_LARGE`. */
export const MAX_OUTPUT_BYTES = 512 * 1024;

/** Bytes of all outputs and journal keys of one run, as JSON in UTF-8. Beyond it the run fails with `RUN_TOO_LARGE`. */
export const MAX_RUN_BYTES = 8 * 1024 * 1024;

/** Counts the use of the limits by one run. */
export class Usage {
  #rounds = 0;
  #executed = 0;
  #bytes = 0;

  /** Counts a round of a loop, a jump back or a retry. Throws `LOOP_LIMIT`. */
  countRound(): void {
    this.#rounds += 1;
    if (this.#rounds > MAX_ROUNDS) {
      throw flowError('runtime', 'LOOP_LIMIT', `the run has made ${MAX_ROUNDS} loop rounds`);
    }
  }

  /** Counts an executed task. Throws `RUN_TOO_LARGE`. */
  countTask(): void {
    this.#executed += 1;
    if (this.#executed > MAX_TASKS_EXECUTED) {
      const detail = `the run has executed ${MAX_TASKS_EXECUTED} tasks`;
      throw flowError('runtime', 'RUN_TOO_LARGE', detail);
    }
  }

  /** Counts the key of a journal entry; `countOutput` counts the entry's value. Throws `RUN_TOO_LARGE`. */
  countEntry(key: string): void {
    this.checkRoom();
    this.#bytes += key.length;
  }

  /**
   * Counts an output that a task has made; an output passed on unchanged is not counted again. The answer of an
   * effect counts before `output.as`, because the journal keeps that answer. Throws `RUN_TOO_LARGE`.
   */
  countOutput(output: Value): void {
    this.#bytes += checkSize(output);
    this.checkRoom();
  }

  /**
   * Throws `RUN_TOO_LARGE` when the outputs are over the limit. It is called before each journal entry, because a flow
   * that catches the error could otherwise go on without end.
   */
  checkRoom(): void {
    if (this.#bytes <= MAX_RUN_BYTES) return;
    const detail = `the outputs of the run are larger than ${MAX_RUN_BYTES} bytes`;
    throw flowError('runtime', 'RUN_TOO_LARGE', detail);
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
