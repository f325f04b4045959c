import { RunModel } from '../../../models/run.model.ts';
import { cancelRunsOf } from '../../../services/runs/erase-runs.ts';
import { onRunsDatabase, queueRun } from './engine.ts';

onRunsDatabase();

it('cancels all live runs of a deleted workspace in one call, and none of another workspace', async () => {
  for (let n = 0; n < 250; n++) await queueRun();
  await queueRun({ workspaceId: 2 });
  const ended = await cancelRunsOf(1, { onEnded: () => undefined, onRequested: () => undefined });
  const live = (workspaceId: number) => RunModel.countDocuments({ workspaceId, live: true });
  expect([ended, await live(1), await live(2)]).toEqual([true, 0, 1]);
});
