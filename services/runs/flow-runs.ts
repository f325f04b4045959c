import { systemChange } from '../../mixins/changes/change-context.ts';
import { RunModel } from '../../models/run.model.ts';
import { LIVE_STATUSES } from '../../models/run-status.ts';
import type { Params } from '../contracts.ts';
import { cancelLiveRuns } from './cancel-live-runs.ts';
import type { CancelListeners } from './cancel-run.ts';

/** The change by which a run is cancelled because what it runs is deleted. */
export const FLOW_DELETED = systemChange('runs', 'runs.cancelFlowRuns', {
  none: 'the entry of the deletion of the flow says it',
});

/** The filter names the statuses for the index of live runs, which begins with them. */
const liveOf = ({ workspaceId, flowId }: Params<'runs.liveFlowRuns'>) => ({
  live: true as const,
  status: { $in: LIVE_STATUSES },
  workspaceId,
  flowId,
});

/** Counts the runs of a flow that have not ended, child runs included. */
export const countLiveFlowRuns = (flow: Params<'runs.liveFlowRuns'>): Promise<number> =>
  RunModel.countDocuments(liveOf(flow));

/** Cancels the live runs of deleted flows. A run of another flow that waits for one of them goes on with its error. */
export async function cancelFlowRuns(
  { entries }: Params<'runs.cancelFlowRuns'>,
  listeners: CancelListeners,
): Promise<null> {
  for (const flow of entries) await cancelLiveRuns(liveOf(flow), FLOW_DELETED, listeners);
  return null;
}
