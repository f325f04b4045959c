import type { ServiceSchema } from 'moleculer';
import type { MasterKeys } from '../../../environment/values/master-keys.ts';
import { Sweep } from '../../../mixins/sweep.ts';
import { logger } from '../../../support/logging.ts';
import { rotateKeys } from './rotate-keys.ts';

/** Milliseconds until the rotation at the start, and between two attempts while the database is away. */
const START_AFTER_MS = 2_000;

/**
 * A mixin that re-wraps the keys of workspaces once after each start. The process of an embedded database is the only
 * one that reaches the keys, and its log tells the operator when the old master key may go.
 */
export function KeyRotation(masterKeys: () => MasterKeys): Partial<ServiceSchema> {
  let isDone = false;
  let stopped = false;
  const rotateOnce = async (): Promise<void> => {
    if (isDone) return;
    const { rewrapped, failures, left } = await rotateKeys(masterKeys(), () => stopped);
    isDone = true;
    if (rewrapped > 0) logger.info({ rewrapped, left }, 'Keys of workspaces were re-wrapped');
    for (const failure of failures) logger.error(failure);
  };
  return {
    mixins: [Sweep(START_AFTER_MS, rotateOnce)],
    async stopped() {
      stopped = true;
    },
  };
}
