import { NotFound, Problem } from '../../contract/problem.ts';
import { systemChange } from '../../mixins/changes/change-context.ts';
import { RunModel } from '../../models/run.model.ts';
import { type CancelListeners, cancelRun } from './cancel-run.ts';
import { RunEnded } from './runs.problems.ts';

/** Runs that are cancelled at once. Further runs take another batch of the same call. */
const BATCH_SIZE = 100;

const CANCEL = systemChange('runs', 'runs.eraseWorkspace', {
  none: 'the entry of the deletion of the workspace says it',
});

/** Cancels the live runs of a deleted workspace, so that none waits for a turn. False while some have not ended. */
export async function cancelRunsOf(
  workspaceId: number,
  listeners: CancelListeners,
): Promise<boolean> {
  while (await cancelBatch(workspaceId, listeners));
  return !(await RunModel.exists({ live: true, workspaceId }));
}

/** True where further runs may wait for a cancel. */
async function cancelBatch(workspaceId: number, listeners: CancelListeners): Promise<boolean> {
  const found = await RunModel.find(
    { live: true, workspaceId, cancelRequestedAt: { $exists: false } },
    { _id: 1 },
  )
    .limit(BATCH_SIZE)
    .lean();
  await Promise.all(
    found.map(({ _id }) => cancelRun({ _id, workspaceId }, CANCEL, listeners).catch(unlessEnded)),
  );
  return found.length === BATCH_SIZE;
}

/** Throws any error but that of a run which has ended or is gone meanwhile. */
function unlessEnded(error: unknown): void {
  const isOver = error instanceof Problem && [RunEnded.code, NotFound.code].includes(error.type);
  if (!isOver) throw error;
}
