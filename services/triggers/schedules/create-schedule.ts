import { noFlow } from '../../../contract/problem.ts';
import { environment } from '../../../environment/environment.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { ScheduleModel } from '../../../models/schedule.model.ts';
import type { Params } from '../../contracts.ts';
import type { ShareOwners } from '../../share-owners/share-owners.ts';
import type { Schedule } from '../contract/resources.ts';
import type { FindFlow, FlowSummary } from '../flow-directory.ts';
import { removeTrigger } from '../remove-of-flows.ts';
import { createWithinQuotas, type Slots, type TriggerQuotas } from '../trigger-quotas.ts';
import { nextOccurrenceOf } from './next-occurrence.ts';
import { assertConfiguration, type FindConfiguration, inputOf } from './schedule-fields.ts';
import { schedules } from './schedules.store.ts';
import { showSchedule } from './show-schedule.ts';
import type { Timetables } from './timetable.ts';

/** What the use cases of schedules ask others for. */
export interface ScheduleTools {
  timetables: Timetables;
  owners: ShareOwners;
  findFlow: FindFlow;
  findConfiguration: FindConfiguration;
}

/** Creates a schedule of a flow. A flow that is deleted meanwhile is a 404, and leaves no schedule. */
export async function createSchedule(
  { workspaceId, id: flowId }: FlowSummary,
  wanted: Params<'triggers.createSchedule'>,
  change: ChangeContext,
  tools: ScheduleTools,
): Promise<Schedule> {
  const { cron, timeZone, configuration = null, misfire, overlap, enabled } = wanted;
  const input = inputOf(wanted);
  await assertConfiguration(workspaceId, configuration, tools.findConfiguration);
  const { owner: shareOwner } = await tools.owners.ofWorkspace(workspaceId);
  const now = new Date();
  const times = { createdAt: now, updatedAt: now };
  const who = { createdBy: change.actor, shareOwner };
  const fields = { cron, timeZone, input, configuration, misfire, overlap, enabled };
  const place = { workspaceId, flowId };
  const create = (slots: Slots) => {
    const next = nextOccurrenceOf(fields, tools.timetables);
    return schedules.create({ ...place, ...fields, ...who, ...times, ...slots, ...next }, change);
  };
  const created = await findOrCreate(change, () => createWithinQuotas(QUOTAS, place, create));
  if (await tools.findFlow(flowId)) return showSchedule(created, tools.timetables);
  await removeTrigger(schedules, created._id);
  throw noFlow(flowId);
}

/** A repeat of a request whose first attempt has stored the schedule counts no further schedule. */
async function findOrCreate<T>({ reservedId }: ChangeContext, create: () => Promise<T>) {
  const earlier = reservedId === undefined ? null : await schedules.find(reservedId);
  return earlier ?? create();
}

const QUOTAS: TriggerQuotas = {
  kind: 'schedules',
  flowSlot: { name: 'SCHEDULES_PER_FLOW', limit: environment.SCHEDULES_PER_FLOW },
  workspaceSlot: { name: 'SCHEDULES_PER_WORKSPACE', limit: environment.SCHEDULES_PER_WORKSPACE },
  findSlots: (of, limit) =>
    ScheduleModel.find(of, { flowSlot: 1, workspaceSlot: 1 }).limit(limit).lean<Slots[]>().exec(),
};
