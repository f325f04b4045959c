import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { onIdle } from '../../support/activity.ts';

/** The least milliseconds between two collections: calls at long intervals shall not buy one each. */
const COLLECT_EVERY_MS = 10 * 60_000;

/**
 * Returns unused memory to the system when the process has become idle. V8 does so by itself only under pressure: after a
 * start or a load it keeps some 100 MB. A collection stops the process for 0.15 s where 60 MB of the heap are in use, and
 * longer with more.
 */
export function releaseMemoryWhenIdle(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NonNullable<typeof gc>;
  setFlagsFromString('--no-expose-gc');
  let collectedAt = Number.NEGATIVE_INFINITY;
  onIdle(() => {
    if (performance.now() - collectedAt < COLLECT_EVERY_MS) return;
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    collectedAt = performance.now();
  });
}
