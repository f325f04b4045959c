import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fail } from '../errors.ts';

/** The share of the heap's limit that may be in use. At the limit the process ends, and all commands with it. */
const MAX_SHARE = 0.5;
/** The share of the heap's limit that is taken after a collection before the next one is asked for. */
const STEP_SHARE = 0.1;

/** The bytes of the heap that are in use. Garbage is collected before a command is refused for it. */
export class LiveHeap {
  /** The bytes in use after the last collection that this class asked for; 0 while there is enough room. */
  private collected = 0;
  private readonly collect: () => void;

  constructor() {
    setFlagsFromString('--expose-gc');
    this.collect = runInNewContext('gc');
  }

  /** Throws ExceededMemoryLimit when too much is in use for a command to gather more. */
  check(): void {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    if (used < limit * MAX_SHARE) this.collected = 0;
    else if (used > this.collected + limit * STEP_SHARE) {
      this.collect();
      this.collected = getHeapStatistics().used_heap_size;
      if (this.collected > limit * MAX_SHARE)
        fail(
          'ExceededMemoryLimit',
          'The pipeline uses too much memory, and nothing is spilled to disk',
        );
    }
  }
}
