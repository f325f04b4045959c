/** Keeps what a child remembers small, so that the memory of a job doesn't depend on the jobs before it. */
import { getHeapStatistics } from 'node:v8';
import { GARBAGE_BYTES, KEPT_HEAP_BYTES } from '../limits.ts';

export class HeapBound {
  /** In use after the latest collection. */
  #keptBytes = 0;

  /** After a job. Calls `forget` where too much stays in use after a garbage collection. */
  check(forget: () => void): void {
    if (usedBytes() <= this.#keptBytes + GARBAGE_BYTES) return;
    this.#collect();
    if (this.#keptBytes <= KEPT_HEAP_BYTES) return;
    forget();
    this.#collect();
  }

  #collect(): void {
    globalThis.gc?.();
    this.#keptBytes = usedBytes();
  }
}

const usedBytes = (): number => getHeapStatistics().used_heap_size;
