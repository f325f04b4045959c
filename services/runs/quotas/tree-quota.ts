import { flowError } from '@workspace-automation/flow-language';
import { RunModel } from '../../../models/run.model.ts';
import { WorkspaceQuota } from './workspace-quota.ts';

/** Live runs below one run, at all depths. A task `run` that would start a further one fails with `QUOTA_REACHED`. */
export const MAX_LIVE_BELOW = 1_000;

/** Counts the live runs below a run, up to `most`, and reads no more entries of one index. */
export const liveRunsBelow = (rootId: number, most: number): Promise<number> =>
  RunModel.countDocuments({ 'parent.rootId': rootId, live: true, isChild: true }, { limit: most });

/**
 * The quota of live runs below one run: a flow whose runs start several runs of the flow would fill the queue of its
 * workspace. A tree is first counted after some seconds or many starts, so that a run with few child runs costs no
 * query. Several processes may exceed the quota together.
 */
export const createTreeQuota = (limit = MAX_LIVE_BELOW, measure = liveRunsBelow): WorkspaceQuota =>
  new WorkspaceQuota({
    limit,
    measure: (rootId) => measure(rootId, limit),
    beginsUnused: true,
    refusal: () =>
      flowError(
        'runtime',
        'QUOTA_REACHED',
        `a run may have ${limit} live runs below it at most, those of its child runs included`,
        429,
      ),
  });
