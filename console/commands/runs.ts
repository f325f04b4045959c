import type { Backlog, LiveRun } from '../../services/runs/contract/operations.ts';
import { parseId } from '../ids.ts';
import { duration, table } from '../table.ts';
import type { Command } from './command.ts';

/**
 * `runs --live` lists the runs of all workspaces that have not ended; `runs --flow <id>` the latest runs of a
 * flow.
 */
export const runs: Command = {
  command: 'runs',
  description: 'List live runs, or the latest of a flow',
  options: [
    { option: '--live', description: 'runs of all workspaces that have not ended' },
    { option: '--flow <flowId>', description: 'the latest runs of a flow' },
    { option: '--limit <limit>', description: 'how many, 1 to 1000 (20)' },
  ],
  async print(operator, { options }) {
    const limit = String(options.limit ?? 20);
    if (!options.live === (options.flow === undefined)) {
      throw new Error('Either runs --live, of all workspaces, or runs --flow <flowId>.');
    }
    if (options.live) {
      const { runs: live, backlog } = await operator.ask('runs.listLive', { limit });
      return showLive(live, backlog, Date.now());
    }
    const flowId = parseId('flow', options.flow);
    const { items } = await operator.call('runs.list', { flowId, limit });
    return table(
      ['run', 'status', 'created', 'completed', 'started by'],
      items.map((item) => [
        item.id,
        item.status,
        item.createdAt,
        item.completedAt,
        item.startedBy.name,
      ]),
    );
  },
};

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

const since = (time: string, now: number): string => duration(now - Date.parse(time));
