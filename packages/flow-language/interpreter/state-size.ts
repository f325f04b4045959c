/** The bytes of `$steps` and `$context` that a run holds at once, those of all its branches together. */
import type { JsonText } from './json-text.ts';
import { MAX_STATE_BYTES } from './limits.ts';
import { flowError } from './problem.ts';

const sizes = new WeakMap<JsonText, number>();

export function sizeOf(text: JsonText): number {
  let bytes = sizes.get(text);
  if (bytes === undefined) {
    bytes = Buffer.byteLength(text.text);
    sizes.set(text, bytes);
  }
  return bytes;
}

export class StateSize {
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a value that takes the place of another. Throws `RUN_TOO_LARGE`, and then still counts the former value. */
  replace(last: JsonText | undefined, next: JsonText | undefined): void {
    const bytes = this.#bytes + (next ? sizeOf(next) : 0) - (last ? sizeOf(last) : 0);
    if (next && bytes > MAX_STATE_BYTES && bytes > this.#bytes) {
      const detail = `$steps and $context of the run are larger than ${MAX_STATE_BYTES} bytes together`;
      throw flowError('runtime', 'RUN_TOO_LARGE', detail);
    }
    this.#bytes = bytes;
  }
}
