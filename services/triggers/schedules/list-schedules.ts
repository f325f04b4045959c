import { ascendingBy } from '../../../contract/page-order.ts';
import type { Position } from '../../../contract/page-position.ts';
import type { Page } from '../../../contract/pages.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { ScheduleModel } from '../../../models/schedule.model.ts';
import type { Schedule } from '../contract/resources.ts';
import { type StoredSchedule, schedules } from './schedules.store.ts';
import { showSchedule } from './show-schedule.ts';
import type { Timetables } from './timetable.ts';

/** The schedules of a flow, by id. */
export function listSchedules(
  { flowId, ...position }: Position & { flowId: number },
  timetables: Timetables,
): Promise<Page<Schedule>> {
  const order = ascendingBy('_id');
  const bytesOf = ({ input }: StoredSchedule) => Buffer.byteLength(input);
  const query = { filter: { flowId }, order, position, projection: schedules.projection, bytesOf };
  return readPage(ScheduleModel, query, (schedule: StoredSchedule) =>
    showSchedule(schedule, timetables),
  );
}
