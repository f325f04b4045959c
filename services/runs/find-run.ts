import { NotFound, Problem } from '../../contract/problem.ts';
import { batchFind } from '../../mixins/database/batch-loader.ts';
import { RunModel } from '../../models/run.model.ts';
import { SHOWN_FIELDS, type ShownRun } from './show-run.ts';

/** Finds the shown fields of a run; null for an unknown run, and for a run that retention removes. */
export const findRun = batchFind<ShownRun>(RunModel, {
  projection: SHOWN_FIELDS,
  filter: { expired: { $exists: false } },
});

/** The run that an attempt with the same `Idempotency-Key` has stored. */
export const findEarlierRun = async (reservedId: number | undefined): Promise<ShownRun | null> =>
  reservedId === undefined ? null : findRun(reservedId);

export const runNotFound = (runId: number): Problem =>
  new Problem(NotFound, `There is no run ${runId}.`);

export async function getRun(runId: number): Promise<ShownRun> {
  const run = await findRun(runId);
  if (!run) throw runNotFound(runId);
  return run;
}
