import type { RunDocument } from '../../../../models/run.model.ts';

/** A run that waits for a permit of its flow. */
export type WaitingForPermit = Pick<RunDocument, '_id' | 'concurrency'>;

/** A permit for a run. */
export interface Grant {
  runId: number;
  permit: number;
}

/**
 * Decides which of the runs get which permits, from the first run on. A run gets one while fewer permits are in use than
 * its `concurrency`; later runs do not pass a run that gets none. Each run gets the lowest free permit, which is then
 * below its `concurrency`.
 */
export function planGrants(waiting: readonly WaitingForPermit[], used: Iterable<number>): Grant[] {
  const inUse = new Set(used);
  const grants: Grant[] = [];
  let permit = 0;
  for (const { _id: runId, concurrency = 1 } of waiting) {
    if (inUse.size >= concurrency) break;
    while (inUse.has(permit)) permit++;
    inUse.add(permit);
    grants.push({ runId, permit });
  }
  return grants;
}
