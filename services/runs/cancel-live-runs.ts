import { isProblem, NotFound } from '../../contract/problem.ts';
import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { RunModel } from '../../models/run.model.ts';
import { type CancelListeners, cancelRun } from './cancel-run.ts';
import { RunEnded } from './runs.problems.ts';

/** Runs that are cancelled at once. Further runs take another batch of the same call. */
const BATCH_SIZE = 100;

/** The runs to cancel. */
type LiveRuns = Readonly<Record<string, unknown>> & { workspaceId: number; live: true };

/** Cancels live runs of a workspace, in batches, until no run is left whose cancel is not requested. */
export async function cancelLiveRuns(
  runs: LiveRuns,
  change: ChangeContext,
  listeners: CancelListeners,
): Promise<void> {
  while (await cancelBatch(runs, change, listeners));
}

/** True where further runs may wait for a cancel. */
async function cancelBatch(
  { workspaceId, ...filter }: LiveRuns,
  change: ChangeContext,
  listeners: CancelListeners,
): Promise<boolean> {
  const found = await RunModel.find(
    { ...filter, workspaceId, cancelRequestedAt: { $exists: false } },
    { _id: 1 },
  )
    .limit(BATCH_SIZE)
    .lean();
  await Promise.all(
    found.map(({ _id }) => cancelUnlessEnded({ _id, workspaceId }, change, listeners)),
  );
  return found.length === BATCH_SIZE;
}

/** Cancels a run, which may have ended or be gone. */
export async function cancelUnlessEnded(
  run: Parameters<typeof cancelRun>[0],
  change: ChangeContext,
  listeners: CancelListeners,
): Promise<void> {
  try {
    await cancelRun(run, change, listeners);
  } catch (error) {
    if (!isProblem(error, RunEnded, NotFound)) throw error;
  }
}
