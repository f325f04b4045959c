import { NotFound, Problem } from '../../contract/problem.ts';
import { batchFind } from '../../mixins/database/batch-loader.ts';
import { RunModel } from '../../models/run.model.ts';
import { SHOWN_FIELDS, type ShownRun } from './show-run.ts';

/** Finds a run as `SHOWN_FIELDS` says; null for an unknown run, and for one that is being removed. */
export const findRun = batchFind<ShownRun>(RunModel, {
  projection: SHOWN_FIELDS,
  filter: { expired: { $exists: false } },
});

export const runNotFound = (runId: number): Problem =>
  new Problem(NotFound, `There is no run ${runId}.`);

export async function getRun(runId: number): Promise<ShownRun> {
  const run = await findRun(runId);
  if (!run) throw runNotFound(runId);
  return run;
}
