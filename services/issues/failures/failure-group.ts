import type { Params } from '../../contracts.ts';

export type FailedRun = Params<'issues.raiseForFailures'>['entries'][number];

/** Failed runs whose failures have one issue. */
export interface FailureGroup {
  workspaceId: number;
  /** The flow of the runs. Absent in entries of earlier versions of the service. */
  flowId: number | undefined;
  /** The hash by which the issue is found again. */
  fingerprint: string;
  /** Each run once, in the order of the failures. */
  runs: readonly FailedRun[];
  first: FailedRun;
  last: FailedRun;
}

/** Groups the runs; null for no runs. */
export function groupOf(fingerprint: string, runs: readonly FailedRun[]): FailureGroup | null {
  const byId = new Map(runs.map((run) => [run.runId, run]));
  const ordered = [...byId.values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (!first || !last) return null;
  const { workspaceId, flowId } = first;
  return { workspaceId, flowId, fingerprint, runs: ordered, first, last };
}

/** Leaves out the runs that are counted already; null when none is left. */
export const withoutRuns = (
  { fingerprint, runs }: FailureGroup,
  counted: ReadonlySet<number>,
): FailureGroup | null =>
  groupOf(
    fingerprint,
    runs.filter(({ runId }) => !counted.has(runId)),
  );

export const runIdsOf = ({ runs }: FailureGroup): number[] => runs.map(({ runId }) => runId);
