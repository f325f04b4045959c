import { type RollupDocument, RollupModel } from '../../../models/rollup.model.ts';
import type { RunDocument } from '../../../models/run.model.ts';

export type RollupIdentity = Pick<RollupDocument, '_id' | 'workspaceId' | 'flowId' | 'day'>;
export type Amounts = Pick<RollupDocument, 'runs' | 'success' | 'failed' | 'durationMs' | 'bytes'>;
/** The fields of a run from which the rollup of its flow and day is computed. */
export type EndedRun = Pick<
  RunDocument,
  'workspaceId' | 'flowId' | 'flowName' | 'status' | 'startedAt' | 'completedAt'
>;

/** The runs that a workspace has created. */
export const createdRollup = (workspaceId: number): RollupIdentity => ({
  _id: `created/${workspaceId}`,
  workspaceId,
});

/** The `baseBytes` of all runs of a workspace. `created/` counts flow runs alone. */
export const inputsRollup = (workspaceId: number): RollupIdentity => ({
  _id: `inputs/${workspaceId}`,
  workspaceId,
});

/** The bytes that the ends of a workspace's runs have stored. */
export const resultsRollup = (workspaceId: number): RollupIdentity => ({
  _id: `results/${workspaceId}`,
  workspaceId,
});

/** The runs of a workspace that retention has removed. */
export const removedRollup = (workspaceId: number): RollupIdentity => ({
  _id: `removed/${workspaceId}`,
  workspaceId,
});

/** Reads the rollups in one query; undefined stands for a rollup without runs. */
export async function findRollups(
  ...wanted: readonly RollupIdentity[]
): Promise<(RollupDocument | undefined)[]> {
  const ids = wanted.map(({ _id }) => _id);
  const found = await RollupModel.find({ _id: { $in: ids } }).lean<RollupDocument[]>();
  return ids.map((id) => found.find(({ _id }) => _id === id));
}

/** The rollup of the run's flow and of the day, in UTC, on which the run ended. */
export function endedRollup({ workspaceId, flowId, completedAt }: EndedRun): RollupIdentity {
  const day = dayOf(completedAt ?? new Date(0));
  return { _id: `ended/${workspaceId}/${flowId}/${day}`, workspaceId, flowId, day };
}

/** `YYYY-MM-DD` in UTC. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

export const countOf = (runs: readonly unknown[]): Amounts => ({
  runs: runs.length,
  success: 0,
  failed: 0,
  durationMs: 0,
});

/** The sums of ended runs. A run that was cancelled before its start has no duration. */
export function amountsOf(runs: readonly EndedRun[]): Amounts {
  const amounts = countOf(runs);
  for (const { status, startedAt, completedAt } of runs) {
    if (status === 'SUCCESS') amounts.success++;
    if (status === 'FAILED' || status === 'TIMED_OUT') amounts.failed++;
    if (startedAt && completedAt) amounts.durationMs += completedAt.getTime() - startedAt.getTime();
  }
  return amounts;
}
