import type { RunDocument } from '../../../../models/run.model.ts';

/** A run that waits for a permit of its flow. */
export type WaitingForPermit = Pick<RunDocument, '_id' | 'concurrency'>;

/** A permit for a run. */
export interface Grant {
  runId: number;
  permit: number;
}

/**
 * Gives each run the lowest free permit, from the first run on, while fewer permits are in use than its `concurrency`.
 * Later runs do not pass a run that gets no permit.
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
