import { invalidField } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { Update } from '../../../mixins/changes/update.ts';
import type { ScheduleDocument } from '../../../models/schedule.model.ts';
import type { Params } from '../../contracts.ts';
import type { Schedule } from '../contract/resources.ts';
import type { ScheduleTools } from './create-schedule.ts';
import { nextOccurrenceOf } from './next-occurrence.ts';
import { assertConfiguration, inputOf } from './schedule-fields.ts';
import { noSchedule, type StoredSchedule, schedules } from './schedules.store.ts';
import { showSchedule } from './show-schedule.ts';
import type { Timetables } from './timetable.ts';

type UpdateTools = Pick<ScheduleTools, 'timetables' | 'findFlow' | 'findConfiguration'>;
type ScheduleUpdate = Params<'triggers.updateSchedule'>;

/** The fields that a request changes. */
const FIELDS = [
  'cron',
  'timeZone',
  'input',
  'configuration',
  'misfire',
  'overlap',
  'enabled',
] as const;
type Changed = Partial<Pick<StoredSchedule, (typeof FIELDS)[number]>>;

/**
 * Changes the fields that are given and differ. The schedule of a deleted flow is a 404 already before the outbox of the
 * flow has removed the schedule.
 */
export async function updateSchedule(
  schedule: StoredSchedule,
  update: ScheduleUpdate,
  change: ChangeContext,
  { timetables, findFlow, findConfiguration }: UpdateTools,
): Promise<Schedule> {
  if (!(await findFlow(schedule.flowId))) throw noSchedule(schedule._id);
  if (update.flowId !== undefined && update.flowId !== schedule.flowId) {
    throw invalidField('flowId', 'contradiction', 'is not the flow of this schedule');
  }
  const { input, ...others } = update;
  const wanted: Changed = { ...others, ...(input === undefined ? {} : { input: inputOf(update) }) };
  const { configuration } = changedFields(schedule, wanted);
  await assertConfiguration(schedule.workspaceId, configuration, findConfiguration);
  const decide = (current: StoredSchedule) => {
    const set = changedFields(current, wanted);
    return Object.keys(set).length ? updateOf(current, set, timetables) : null;
  };
  return showSchedule(await schedules.change(schedule, decide, change), timetables);
}

/** The wanted fields that differ from those of the schedule. */
const changedFields = (current: StoredSchedule, wanted: Changed): Changed =>
  Object.fromEntries(
    FIELDS.filter((name) => wanted[name] !== undefined && wanted[name] !== current[name]).map(
      (name) => [name, wanted[name]],
    ),
  );

/** A change of the times begins anew from now on, and ends the right of a scheduler to start what was due. */
function updateOf(
  current: StoredSchedule,
  set: Changed,
  timetables: Timetables,
): Update<ScheduleDocument> {
  const isTimed = set.cron ?? set.timeZone ?? set.enabled;
  if (isTimed === undefined) return { set };
  const next = nextOccurrenceOf({ ...current, ...set }, timetables);
  const ended = ['lease', 'attempts'] as const;
  if (next.nextOccurrence) return { set: { ...set, ...next }, unset: ended };
  return { set, unset: [...ended, 'nextOccurrence', 'dueAt'] };
}
