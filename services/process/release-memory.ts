import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { onRest } from '../../support/activity.ts';

/**
 * Gives the memory that nothing uses back to the system whenever the process comes to rest. V8 does so by itself only
 * under pressure: after a start or a load it keeps some 100 MB. The collection takes 0.1 to 0.2 s of CPU time.
 */
export function releaseMemoryAtRest(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NonNullable<typeof gc>;
  setFlagsFromString('--no-expose-gc');
  onRest(() => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }));
}
