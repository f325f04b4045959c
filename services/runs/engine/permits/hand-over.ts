import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import { findWaiting, grantPermit } from './grant-permits.ts';

/** Waiting runs that one hand-over tries, because other processes may give permits to the same runs. Then its outcome is `unclear`. */
const MAX_TRIES = 4;

/** A permit that a run has given up, with the limit of that run. */
export type FreedPermit = Required<Pick<RunDocument, 'flowId' | 'concurrency' | 'permit'>>;

/**
 * Gives a freed permit to the run of the flow that waits longest, without a read of the permits in use. `none`: no run
 * can take the permit. `unclear`: the permits in use decide whether a run may have the permit, as after a change of the limit.
 */
export async function handOverPermit(freed: FreedPermit): Promise<'granted' | 'none' | 'unclear'> {
  const { flowId, concurrency, permit } = freed;
  const waiting = await findWaiting(flowId, MAX_TRIES);
  if (!waiting.length) return 'none';
  if (await hasPermitFrom(flowId, concurrency)) return 'unclear';
  for (const { _id: runId, concurrency: limit } of waiting) {
    if (limit !== concurrency) return 'unclear';
    const outcome = await grantPermit({ runId, permit });
    if (outcome === 'granted') return 'granted';
    if (outcome === 'taken') return 'none';
  }
  return 'unclear';
}

/** Whether a run of a version with a larger limit holds a permit. Without such a run at most `concurrency` permits are in use. */
const hasPermitFrom = (flowId: number, concurrency: number) =>
  RunModel.exists({ flowId, permit: { $gte: concurrency } }).read('primary');
