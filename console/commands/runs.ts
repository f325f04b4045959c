import { RUN_STATUSES } from '../../models/run-status.ts';
import type {
  Backlog,
  FoundRun,
  LiveRun,
  StuckRuns,
} from '../../services/runs/contract/operations.ts';
import { parseStatus } from '../delivery-filters.ts';
import { parseId } from '../ids.ts';
import { duration, table } from '../table.ts';
import type { Command } from './command.ts';

/** Characters of a reason of a stuck run; a longer text is cut. */
const MAX_REASON = 200;
const INCOMPLETE =
  'Incomplete: the live runs are too many to search all of them. Name a workspace with --workspace.';

/**
 * `runs --live` lists the runs that have not ended, of all workspaces or of one, and `runs --stuck` those that do not
 * go on; the other options find runs of any status.
 */
export const runs: Command = {
  command: 'runs',
  description: 'List live or stuck runs, or find runs by status, workspace and flow, newest first',
  options: [
    {
      option: '--live',
      description: 'runs that have not ended, the oldest first, with the backlog',
    },
    {
      option: '--stuck',
      description: 'runs that have not gone on for 10 s, and why, the longest wait first',
    },
    { option: '--status <list>', description: 'runs of these statuses: FAILED,TIMED_OUT' },
    { option: '--workspace <workspaceId>', description: 'those of a workspace' },
    { option: '--flow <flowId>', description: 'those of a flow' },
    { option: '--limit <limit>', description: 'how many, 1 to 1000 (20)' },
  ],
  async print(operator, { options: { live, stuck, status, workspace, flow, limit: most = 20 } }) {
    const limit = String(most);
    const inWorkspace =
      workspace === undefined ? {} : { workspaceId: parseId('workspace', workspace) };
    if (live || stuck) {
      if (status !== undefined || flow !== undefined || (live && stuck)) {
        throw new Error(`--${live ? 'live' : 'stuck'} takes --workspace and --limit alone.`);
      }
      if (stuck) {
        const found = await operator.ask('runs.listStuck', { ...inWorkspace, limit });
        return showStuck(found, Date.now());
      }
      const found = await operator.ask('runs.listLive', { ...inWorkspace, limit });
      return showLive(found.runs, found.backlog, Date.now());
    }
    if ([status, workspace, flow].every((filter) => filter === undefined)) {
      throw new Error(
        'Either runs --live, runs --stuck, or runs with --status, --workspace or --flow.',
      );
    }
    const { runs: found } = await operator.ask('runs.search', {
      ...inWorkspace,
      ...(flow === undefined ? {} : { flowId: parseId('flow', flow) }),
      ...(status === undefined ? {} : { statuses: parseStatuses(status) }),
      limit,
    });
    return showFound(found);
  },
};

const parseStatuses = (typed: unknown) => [
  ...new Set(
    String(typed)
      .split(',')
      .map((one) => parseStatus(RUN_STATUSES, one)),
  ),
];

/** Formats runs of any status. Pure, for tests. */
export const showFound = (items: readonly FoundRun[]): string =>
  items.length
    ? table(
        ['run', 'workspace', 'flow or workflow', 'status', 'created', 'completed', 'error'],
        items.map((item) => [
          item.id,
          item.workspaceId,
          item.name,
          item.status,
          item.createdAt,
          item.completedAt,
          item.error,
        ]),
      )
    : 'no runs';

/** Formats the live runs and the backlog; `now` is in milliseconds since the epoch. Pure, for tests. */
export function showLive(live: readonly LiveRun[], backlog: Backlog, now: number): string {
  const counts = Object.entries(backlog.live).map(([status, count]) => `${count} ${status}`);
  const waiting = backlog.waitingSince
    ? `; one has waited for a worker for ${since(backlog.waitingSince, now)}`
    : '';
  const rows = live.map((one) => [
    one.id,
    one.workspaceId,
    one.name,
    one.status,
    one.worker?.slice(0, 8),
    since(one.createdAt, now),
    one.wakeAt ? `in ${duration(Date.parse(one.wakeAt) - now)}` : null,
  ]);
  const headings = ['run', 'workspace', 'flow or workflow', 'status', 'worker', 'age', 'goes on'];
  return [
    counts.length ? `${counts.join(', ')}${waiting}` : 'no live runs',
    ...(rows.length ? [table(headings, rows)] : []),
  ].join('\n');
}

/** Formats stuck runs; `now` is in milliseconds since the epoch. Pure, for tests. */
export function showStuck({ runs: items, isComplete }: StuckRuns, now: number): string {
  const headings = ['run', 'workspace', 'flow or workflow', 'status', 'for', 'reason'];
  const rows = items.map((item) => [
    item.id,
    item.workspaceId,
    item.name,
    item.status,
    since(item.since, now),
    item.reason,
  ]);
  return [
    rows.length ? table(headings, rows, MAX_REASON) : 'no stuck runs',
    ...(isComplete ? [] : [INCOMPLETE]),
  ].join('\n');
}

const since = (time: string, now: number): string => duration(now - Date.parse(time));
