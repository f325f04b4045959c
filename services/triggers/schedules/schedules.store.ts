import { NotFound, Problem } from '../../../contract/problem.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import { type ScheduleDocument, ScheduleModel } from '../../../models/schedule.model.ts';

/** The fields of a schedule that are about its next start, and that no request reads. */
const HIDDEN = [
  'flowSlot',
  'workspaceSlot',
  'nextOccurrence',
  'dueAt',
  'shareOwner',
  'lease',
  'attempts',
  'lastOccurrence',
] as const;

export type StoredSchedule = Shown<ScheduleDocument, (typeof HIDDEN)[number]>;

export const noSchedule = (id: number): Problem =>
  new Problem(NotFound, `There is no schedule ${id}.`);

/** The one way to write schedules, but for the starts of their occurrences, which are no changes. */
export const schedules = changesOf(ScheduleModel, { hidden: [...HIDDEN], missing: noSchedule });
