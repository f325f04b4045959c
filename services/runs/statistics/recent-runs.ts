import { invalidRequest } from '../../../contract/problem.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { COUNTED_RUNS, ROLLUP_PENDING, RunModel } from '../../../models/run.model.ts';
import type { Params } from '../../contracts.ts';
import type { FlowRun, FlowRunPage } from '../contract/statistics.ts';
import type { ShownRun } from '../show-run.ts';
import { javaDuration } from './java-duration.ts';
import { createdRollup, findRollups, removedRollup } from './rollups.ts';

/** The most rows that a page may skip; a later page is refused, since its cost grows with the skipped rows. */
const MAX_OFFSET = 10_000;
const UNSORTED = { empty: true, sorted: false, unsorted: true };
const FIELDS = { flowName: 1, status: 1, createdAt: 1, startedAt: 1, completedAt: 1 } as const;
type ListedRun = Required<Pick<ShownRun, 'flowName'>> &
  Pick<ShownRun, '_id' | Exclude<keyof typeof FIELDS, 'flowName'>>;

/** A page of a workspace's flow runs, newest first, without executions of workflows and without child runs. */
export async function recentRuns({
  workspaceId,
  limit,
  page,
}: Params<'runs.recent'>): Promise<FlowRunPage> {
  const offset = page * limit;
  if (offset > MAX_OFFSET) {
    const message = `page × limit must be at most ${MAX_OFFSET}`;
    throw invalidRequest([{ in: 'query', path: 'page', code: 'too_far', message }]);
  }
  const [totalElements, runs] = await Promise.all([
    countRuns(workspaceId),
    RunModel.find({ workspaceId, ...COUNTED_RUNS }, FIELDS)
      .sort({ createdAt: -1, _id: -1 })
      .skip(offset)
      .limit(limit)
      .lean<ListedRun[]>(),
  ]);
  return pageOfRuns(runs.map(showFlowRun), { totalElements, page, limit, offset });
}

/** Counts the runs of a workspace: those in its rollups, and the few that are not in them yet. */
async function countRuns(workspaceId: number): Promise<number> {
  // Pending runs are read before the rollups: a run that is added in between is in `applied` of its rollup.
  const wanted = { [ROLLUP_PENDING.creation]: true, workspaceId, ...COUNTED_RUNS } as const;
  const pendingRuns = await RunModel.find(wanted, { _id: 1 }).lean();
  const [created, removed] = await findRollups(
    createdRollup(workspaceId),
    removedRollup(workspaceId),
  );
  const applied = new Set(created?.applied);
  const pending = pendingRuns.filter(({ _id }) => !applied.has(_id)).length;
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

/** Shows the creation of a run that has not begun as its start. A run that has not ended lasts until now. */
function showFlowRun(run: ListedRun): FlowRun {
  const { startedAt, completedAt } = run;
  const until = completedAt ?? databaseClock.date();
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
