import type { Service, ServiceSchema } from 'moleculer';
import type { MasterKeys } from '../../../environment/values/master-keys.ts';
import { Sweep } from '../../../mixins/sweep.ts';
import { rotateKeys } from './rotate-keys.ts';

/** Milliseconds until the rotation at the start, and between two attempts while the database is away. */
const START_AFTER_MS = 2_000;

/**
 * A mixin that re-wraps the keys of workspaces once after each start. The process of an embedded database is the only
 * one that reaches the keys.
 */
export function KeyRotation(masterKeys: () => MasterKeys): Partial<ServiceSchema> {
  let isDone = false;
  let stopped = false;
  const rotateOnce = async ({ logger }: Service['broker']): Promise<void> => {
    if (isDone) return;
    const { rewrapped, failures } = await rotateKeys(masterKeys(), () => stopped);
    isDone = true;
    if (rewrapped > 0) logger.info({ rewrapped }, 'Keys of workspaces were re-wrapped');
    for (const failure of failures) logger.error(failure);
  };
  return {
    mixins: [Sweep(START_AFTER_MS, rotateOnce)],
    async stopped() {
      stopped = true;
    },
  };
}
