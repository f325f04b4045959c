import type { QueryFilter, SortOrder } from 'mongoose';
import mongoose from 'mongoose';
import { DeadlinePassed, Problem } from '../../contract/problem.ts';
import { COUNTED_RUNS, type RunDocument, RunModel } from '../../models/run.model.ts';
import { hasEnded, LIVE_STATUSES, RUN_STATUSES, type RunStatus } from '../../models/run-status.ts';
import type { Params } from '../contracts.ts';
import type { FoundRun } from './contract/operations.ts';
import { LIVE_RUN_FIELDS, type ReadRun, showLiveRun } from './live-runs.ts';
import { titleOf } from './show-run.ts';

/** Milliseconds that one query over all runs may take; beyond them the call is refused. */
export const MAX_QUERY_MS = 5_000;
/** MongoDB's code of a command that has taken longer than its `maxTimeMS`. */
const MAX_TIME_MS_EXPIRED = 50;

/**
 * A query of a search. Its order is that of an index, so that the query ends with the last wanted run. The live runs of
 * all workspaces alone are sorted, because they are few beside the ended ones.
 */
export interface Source {
  filter: QueryFilter<RunDocument>;
  sort: Readonly<Record<string, SortOrder>>;
}
type Search = Params<'runs.search'>;

/** Finds runs of any workspace, newest first. Throws a Problem when an index leads past too many other runs. */
export async function searchRuns(search: Search): Promise<FoundRun[]> {
  const found = await Promise.all(sourcesOf(search).map((source) => read(source, search.limit)));
  return found
    .flat()
    .toSorted((a, b) => +b.createdAt - +a.createdAt || b._id - a._id)
    .slice(0, search.limit)
    .map(showFoundRun);
}

/** The queries that together find the runs. Exported for tests of their indexes. */
export function sourcesOf({ flowId, workspaceId, statuses = [...RUN_STATUSES] }: Search): Source[] {
  const status = { status: { $in: statuses } };
  const sort = { createdAt: -1, _id: -1 } as const;
  const workspace = workspaceId === undefined ? {} : { workspaceId };
  if (flowId !== undefined) return [{ filter: { flowId, ...workspace, ...status }, sort }];
  if (workspaceId === undefined) return sourcesByStatus(statuses);
  const ofFlows = { ...workspace, ...status, flowId: { $exists: true } };
  return [
    { filter: { ...ofFlows, ...COUNTED_RUNS }, sort },
    { filter: { ...ofFlows, isChild: true }, sort },
    { filter: { ...workspace, ...status, 'execution.workflowId': { $exists: true } }, sort },
  ];
}

/** The live runs by creation and the ended runs by their end, of all workspaces. */
function sourcesByStatus(statuses: readonly RunStatus[]): Source[] {
  const live = statuses.filter((status) => LIVE_STATUSES.includes(status));
  const ended = statuses.filter(hasEnded);
  return [
    ...(live.length
      ? [
          {
            filter: { live: true, status: { $in: live } },
            sort: { createdAt: -1, _id: -1 },
          } as const,
        ]
      : []),
    ...(ended.length
      ? [
          {
            filter: { completedAt: { $gt: new Date(0) }, status: { $in: ended } },
            sort: { completedAt: -1 },
          } as const,
        ]
      : []),
  ];
}

const FIELDS = { ...LIVE_RUN_FIELDS, completedAt: 1, error: 1 } as const;
type FoundDocument = ReadRun & Pick<RunDocument, 'completedAt' | 'error'>;

const read = ({ filter, sort }: Source, limit: number): Promise<FoundDocument[]> =>
  RunModel.find(filter, FIELDS)
    .sort(sort)
    .limit(limit)
    .maxTimeMS(MAX_QUERY_MS)
    .lean<FoundDocument[]>()
    .catch(refuseSlowQuery);

/** Whether the error is of a query that has taken longer than its `maxTimeMS`. */
export const isSlowQuery = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoServerError && error.code === MAX_TIME_MS_EXPIRED;

/** Throws a Problem for a query that has taken longer than `MAX_QUERY_MS`, and any other error as it is. */
function refuseSlowQuery(error: unknown): never {
  if (!isSlowQuery(error)) throw error;
  throw new Problem(
    DeadlinePassed,
    'Too many other runs lie between the wanted ones: name a workspace, a flow or fewer runs.',
  );
}

const showFoundRun = (run: FoundDocument): FoundRun => ({
  ...showLiveRun(run),
  completedAt: run.completedAt?.toISOString() ?? null,
  error: run.error ? titleOf(run.error) : null,
});
