/** What one run may take. Sizes in bytes of JSON as UTF-8. */
import type { Value } from './host.ts';
import { jsonOf } from './json-text.ts';
import { flowError } from './problem.ts';

/** Rounds of loops, jumps back and retries together. */
export const MAX_ROUNDS = 10_000;

export const MAX_TASKS_EXECUTED = 1_000_000;

/**
 * Bytes of memory that one interpretation may hold: values under way, which parsed take up to twenty
 * times their JSON, `$steps` and `$context`, and how often it has come by each task.
 */
export const MAX_HELD_BYTES = 128 * 1024 * 1024;

export const MAX_OUTPUT_BYTES = 512 * 1024;
export const MAX_RUN_BYTES = 8 * 1024 * 1024;

/** How much of its limits a run has used up. */
export class Usage {
  #rounds = 0;
  #executed = 0;
  #bytes = 0;

  /** Throws `LOOP_LIMIT`. */
  countRound(): void {
    this.#rounds += 1;
    if (this.#rounds > MAX_ROUNDS) {
      throw flowError('runtime', 'LOOP_LIMIT', `the run has made ${MAX_ROUNDS} loop rounds`);
    }
  }

  /** Throws `RUN_TOO_LARGE`. */
  countTask(): void {
    this.#executed += 1;
    if (this.#executed > MAX_TASKS_EXECUTED) {
      const detail = `the run has executed ${MAX_TASKS_EXECUTED} tasks`;
      throw flowError('runtime', 'RUN_TOO_LARGE', detail);
    }
  }

  /** Of the journal; its value counts apart, as an output. Throws `RUN_TOO_LARGE`. */
  countEntry(key: string): void {
    this.checkRoom();
    this.#bytes += key.length;
  }

  /**
   * Where an output is made; passed on unchanged it counts no more. What the world answers counts
   * as it came, because that is what the journal keeps, whatever `output.as` makes of it.
   */
  countOutput(output: Value): void {
    this.#bytes += checkSize(output);
    this.checkRoom();
  }

  /** Before anything is journalled: a flow that caught the error once could go on for ever. */
  checkRoom(): void {
    if (this.#bytes <= MAX_RUN_BYTES) return;
    const detail = `the outputs of the run are larger than ${MAX_RUN_BYTES} bytes`;
    throw flowError('runtime', 'RUN_TOO_LARGE', detail);
  }
}

/** Throws `RUN_TOO_LARGE`. */
export function checkWeight(bytes: number): void {
  if (bytes <= MAX_HELD_BYTES) return;
  const detail = `the run needs more than ${MAX_HELD_BYTES} bytes of memory`;
  throw flowError('runtime', 'RUN_TOO_LARGE', detail);
}

/** The size of an output. Throws `OUTPUT_TOO_LARGE`. */
export function checkSize(output: Value): number {
  const bytes = output === undefined ? 0 : Buffer.byteLength(jsonOf(output));
  if (bytes > MAX_OUTPUT_BYTES) {
    const detail = `the output has ${bytes} bytes, more than ${MAX_OUTPUT_BYTES}`;
    throw flowError('runtime', 'OUTPUT_TOO_LARGE', detail);
  }
  return bytes;
}
