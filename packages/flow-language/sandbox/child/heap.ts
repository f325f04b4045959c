/** Keeps the heap of a child small between jobs, so that the memory of a job does not depend on the jobs before it. */
import { getHeapStatistics } from 'node:v8';
import { GARBAGE_BYTES, KEPT_HEAP_BYTES } from '../limits.ts';

export class HeapBound {
  /** Bytes of the heap in use after the latest garbage collection. */
  #keptBytes = 0;

  /** Called after each job. Calls `forget` when too much of the heap stays in use after a garbage collection. */
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
