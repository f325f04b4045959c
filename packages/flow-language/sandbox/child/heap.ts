/** Keeps what a child remembers small, so that the memory of a job doesn't depend on the jobs before it. */
import { getHeapStatistics } from 'node:v8';
import { KEPT_HEAP_BYTES } from '../limits.ts';

/** Calls `forget` where too much is in use after a garbage collection. */
export function boundHeap(forget: () => void): void {
  if (usedBytes() <= KEPT_HEAP_BYTES) return;
  globalThis.gc?.();
  if (usedBytes() <= KEPT_HEAP_BYTES) return;
  forget();
  globalThis.gc?.();
}

const usedBytes = (): number => getHeapStatistics().used_heap_size;
