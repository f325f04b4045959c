import type { ScheduleState } from '../../services/triggers/contract/operations.ts';
import { parseId } from '../ids.ts';
import { duration, table } from '../table.ts';
import type { Command } from './command.ts';

/** `schedules` lists schedules with their next and last occurrence. */
export const schedules: Command = {
  command: 'schedules',
  description: 'List schedules of all workspaces, newest first',
  options: [
    { option: '--workspace <workspaceId>', description: 'those of a workspace' },
    { option: '--flow <flowId>', description: 'those of a flow' },
    { option: '--late', description: 'those whose next occurrence is late, the longest due first' },
    { option: '--limit <limit>', description: 'how many, 1 to 1000 (20)' },
  ],
  async print(operator, { options: { workspace, flow, late, limit = 20 } }) {
    const { schedules: found } = await operator.ask('triggers.listScheduleStates', {
      ...(workspace === undefined ? {} : { workspaceId: parseId('workspace', workspace) }),
      ...(flow === undefined ? {} : { flowId: parseId('flow', flow) }),
      late: late === true,
      limit: String(limit),
    });
    return showSchedules(found, Date.now());
  },
};

/** Formats schedules; `now` is in milliseconds since the epoch. Pure, for tests. */
export const showSchedules = (items: readonly ScheduleState[], now: number): string =>
  items.length
    ? table(
        ['schedule', 'workspace', 'flow', 'when', 'enabled', 'next', 'last', 'outcome'],
        items.map((item) => [
          item.id,
          item.workspaceId,
          item.flowId,
          `${item.cron} ${item.timeZone}`,
          item.enabled ? 'yes' : 'no',
          nextOf(item, now),
          item.last?.at,
          outcomeOf(item),
        ]),
      )
    : 'no schedules';

function nextOf({ nextAt, attempts }: ScheduleState, now: number): string | null {
  if (nextAt === null) return null;
  const ms = Date.parse(nextAt) - now;
  const when = ms < 0 ? `late by ${duration(-ms)}` : `in ${duration(ms)}`;
  return attempts ? `${when}, ${attempts} attempts` : when;
}

function outcomeOf({ last }: ScheduleState): string | null {
  if (!last) return null;
  const { outcome, runId, code } = last;
  if (runId !== null) return `${outcome} run ${runId}`;
  return code === null ? outcome : `${outcome} ${code}`;
}
