import { type RollupDocument, RollupModel } from '../../../models/rollup.model.ts';
import type { RunDocument } from '../../../models/run.model.ts';

export type TallyIdentity = Pick<RollupDocument, '_id' | 'workspaceId' | 'flowId' | 'day'>;
export type Amounts = Pick<RollupDocument, 'runs' | 'success' | 'failed' | 'durationMs' | 'bytes'>;
/** What a run adds to the tally of its end. */
export type EndedRun = Pick<
  RunDocument,
  'workspaceId' | 'flowId' | 'flowName' | 'status' | 'startedAt' | 'completedAt'
>;

export const createdTally = (workspaceId: number): TallyIdentity => ({
  _id: `created/${workspaceId}`,
  workspaceId,
});

/**
 * Of the `baseBytes` of a workspace's runs. They have a tally of their own because an older version adds
 * runs to `created/` without their bytes.
 */
export const inputsTally = (workspaceId: number): TallyIdentity => ({
  _id: `inputs/${workspaceId}`,
  workspaceId,
});

/** Of what the ends of a workspace's runs have stored. */
export const resultsTally = (workspaceId: number): TallyIdentity => ({
  _id: `results/${workspaceId}`,
  workspaceId,
});

/** Of a workspace's runs that were too old to be kept. */
export const removedTally = (workspaceId: number): TallyIdentity => ({
  _id: `removed/${workspaceId}`,
  workspaceId,
});

/** The tallies as they are, in one read. */
export async function talliesOf(
  ...wanted: readonly TallyIdentity[]
): Promise<(RollupDocument | undefined)[]> {
  const ids = wanted.map(({ _id }) => _id);
  const found = await RollupModel.find({ _id: { $in: ids } }).lean<RollupDocument[]>();
  return ids.map((id) => found.find(({ _id }) => _id === id));
}

/** A run counts on the day that it ended, in UTC. */
export function endedTally({ workspaceId, flowId, completedAt }: EndedRun): TallyIdentity {
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

/** What these ended runs add up to. One cancelled before it began lasted no time. */
export function amountsOf(runs: readonly EndedRun[]): Amounts {
  const amounts = countOf(runs);
  for (const { status, startedAt, completedAt } of runs) {
    if (status === 'SUCCESS') amounts.success++;
    if (status === 'FAILED' || status === 'TIMED_OUT') amounts.failed++;
    if (startedAt && completedAt) amounts.durationMs += completedAt.getTime() - startedAt.getTime();
  }
  return amounts;
}
