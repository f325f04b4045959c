import { systemChange } from '../../mixins/changes/change-context.ts';
import { RunModel } from '../../models/run.model.ts';
import { cancelLiveRuns } from './cancel-live-runs.ts';
import type { CancelListeners } from './cancel-run.ts';

const CANCEL = systemChange('runs', 'runs.eraseWorkspace', {
  none: 'the entry of the deletion of the workspace says it',
});

/** Cancels the live runs of a deleted workspace, so that none waits for a turn. False while some have not ended. */
export async function cancelRunsOf(
  workspaceId: number,
  listeners: CancelListeners,
): Promise<boolean> {
  const runs = { live: true, workspaceId } as const;
  await cancelLiveRuns(runs, CANCEL, listeners);
  return !(await RunModel.exists(runs));
}
