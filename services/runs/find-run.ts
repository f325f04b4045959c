import { NotFound, Problem } from '../../mixins/problem.ts';
import { RunModel } from '../../models/run.model.ts';
import { SHOWN_FIELDS, type ShownRun } from './show-run.ts';

/** A run without its journal, or null. */
export const findRun = (runId: number): Promise<ShownRun | null> =>
  RunModel.findById(runId, SHOWN_FIELDS).lean<ShownRun>();

export async function getRun(runId: number): Promise<ShownRun> {
  const run = await findRun(runId);
  if (!run) throw new Problem(NotFound, `There is no run ${runId}.`);
  return run;
}
