import { invalidRequest } from '../../../contract/problem.ts';
import { RunModel } from '../../../models/run.model.ts';
import type { FlowRun, FlowRunPage } from '../contract/statistics.ts';
import type { ShownRun } from '../show-run.ts';
import { javaDuration } from './java-duration.ts';
import { createdTally, removedTally, talliesOf } from './rollups.ts';

/** Rows that may be skipped: what a page costs grows with them. */
const FURTHEST = 10_000;
const UNSORTED = { empty: true, sorted: false, unsorted: true };
const FIELDS = { flowName: 1, status: 1, createdAt: 1, startedAt: 1, completedAt: 1 } as const;
type ListedRun = Pick<ShownRun, '_id' | keyof typeof FIELDS>;

/** A page of a workspace's runs, newest first. */
export async function recentRuns(params: {
  workspaceId: number;
  limit: number;
  page: number;
}): Promise<FlowRunPage> {
  const { workspaceId, limit, page } = params;
  const offset = page * limit;
  if (offset > FURTHEST) {
    const message = `page × limit must be at most ${FURTHEST}`;
    throw invalidRequest([{ in: 'query', path: 'page', code: 'too_far', message }]);
  }
  const [totalElements, runs] = await Promise.all([
    runsIn(workspaceId),
    RunModel.find({ workspaceId }, FIELDS)
      .sort({ createdAt: -1, _id: -1 })
      .skip(offset)
      .limit(limit)
      .lean<ListedRun[]>(),
  ]);
  return pageOfRuns(runs.map(showFlowRun), { totalElements, page, limit, offset });
}

/** How many runs of a workspace there are: by its tallies, and the few that are not in them yet. */
async function runsIn(workspaceId: number): Promise<number> {
  // Marked runs first: one that is added in between is in `applied` by then.
  const uncounted = await RunModel.find({ uncounted: true, workspaceId }, { _id: 1 }).lean();
  const [created, removed] = await talliesOf(createdTally(workspaceId), removedTally(workspaceId));
  const applied = new Set(created?.applied);
  const pending = uncounted.filter(({ _id }) => !applied.has(_id)).length;
  return (created?.runs ?? 0) + pending - (removed?.runs ?? 0);
}

function pageOfRuns(
  content: FlowRun[],
  at: { totalElements: number; page: number; limit: number; offset: number },
): FlowRunPage {
  const totalPages = Math.ceil(at.totalElements / at.limit);
  return {
    totalPages,
    totalElements: at.totalElements,
    size: at.limit,
    content,
    number: at.page,
    sort: UNSORTED,
    numberOfElements: content.length,
    pageable: {
      offset: at.offset,
      sort: UNSORTED,
      pageNumber: at.page,
      pageSize: at.limit,
      paged: true,
      unpaged: false,
    },
    first: at.page === 0,
    last: at.page + 1 >= totalPages,
    empty: content.length === 0,
  };
}

/** A run that has not begun shows its creation as its start; one under way lasts until now. */
function showFlowRun(run: ListedRun): FlowRun {
  const { startedAt, completedAt } = run;
  const until = completedAt ?? new Date();
  const ms = startedAt ? Math.max(until.getTime() - startedAt.getTime(), 0) : 0;
  return {
    id: run._id,
    flowName: run.flowName,
    status: run.status,
    startedAt: (startedAt ?? run.createdAt).toISOString(),
    completedAt: completedAt?.toISOString() ?? null,
    duration: javaDuration(ms),
  };
}
