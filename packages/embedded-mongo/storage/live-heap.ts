import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fail } from '../errors.ts';

/** The share of the heap's limit that may be in use, buffers included. At the limit the process ends, and all commands with it. */
const MAX_SHARE = 0.5;
/** The share of the heap's limit that is taken after a collection before the next one is asked for. */
const STEP_SHARE = 0.1;
/** The pause between two collections that leave too much in use, as a multiple of a collection's own time. */
const PAUSE_FACTOR = 10;

/** The memory that values take, in the heap and in buffers. Garbage is collected before a command is refused for it. */
export class LiveHeap {
  /** The bytes in use after the last collection that this class asked for. */
  private collected = 0;
  /** The number of collections in a row that left too much in use. */
  private failures = 0;
  /** The time until which no collection is asked for after a failure, by `performance.now`. */
  private pausedUntil = 0;
  private readonly collect: () => void;

  constructor() {
    setFlagsFromString('--expose-gc');
    this.collect = runInNewContext('gc');
  }

  /** Throws ExceededMemoryLimit when too much is in use for a command to gather more. */
  check(): void {
    const { used, limit, isTooMuch } = usage();
    if (!isTooMuch) {
      this.failures = 0;
      this.pausedUntil = 0;
      return;
    }
    const isDue = this.failures > 0 || used > this.collected + limit * STEP_SHARE;
    if (isDue && performance.now() >= this.pausedUntil) this.collectGarbage();
    if (this.failures > 0)
      fail(
        'ExceededMemoryLimit',
        'The command needs more memory than the server has left, and nothing is spilled to disk',
      );
  }

  private collectGarbage(): void {
    const started = performance.now();
    this.collect();
    // V8 counts the buffers that the first collection frees as used until the second.
    if (usage().isTooMuch) this.collect();
    const ended = performance.now();
    const { used, isTooMuch } = usage();
    this.collected = used;
    this.failures = isTooMuch ? this.failures + 1 : 0;
    // The first refused command leaves garbage, so that the next command has the room.
    this.pausedUntil = this.failures > 1 ? ended + PAUSE_FACTOR * (ended - started) : 0;
  }
}

function usage() {
  const statistics = getHeapStatistics();
  const used = statistics.used_heap_size + statistics.external_memory;
  const limit = statistics.heap_size_limit;
  return { used, limit, isTooMuch: used >= limit * MAX_SHARE };
}
