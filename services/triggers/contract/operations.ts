import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Id, IntText, Timestamp } from '../../../contract/fields.ts';
import { OCCURRENCE_OUTCOMES } from '../../../models/schedule.model.ts';

/** A schedule with its next and its last occurrence. */
export const ScheduleState = z.strictObject({
  id: Id,
  workspaceId: Id,
  flowId: Id,
  cron: z.string(),
  timeZone: z.string(),
  enabled: z.boolean(),
  /** The first occurrence that is not over; null for a disabled schedule, and after the last occurrence. */
  nextAt: Timestamp.nullable(),
  /** Failed attempts to start that occurrence. */
  attempts: z.int().nonnegative(),
  last: z
    .strictObject({
      at: Timestamp,
      outcome: z.enum(OCCURRENCE_OUTCOMES),
      runId: Id.nullable(),
      /** The code of the problem of a refused start. */
      code: z.string().nullable(),
    })
    .nullable(),
});
export type ScheduleState = z.output<typeof ScheduleState>;

export const DueSchedules = z.strictObject({
  /** The time since which a due schedule waits for a scheduler; null where none waits. */
  waitingSince: Timestamp.nullable(),
  /** The time of the earliest occurrence that is not over, whatever keeps it; null where none is overdue. */
  overdueSince: Timestamp.nullable(),
});
export type DueSchedules = z.output<typeof DueSchedules>;

/** Actions for operators and metrics, over all workspaces; they have no route. */
export const operatorActions = {
  dueSchedules: action({
    summary:
      'Since when a due schedule has waited for a scheduler, and an occurrence has been overdue',
    access: { who: 'internal' },
    result: DueSchedules,
    idempotent: true,
  }),
  listScheduleStates: action({
    summary: 'Schedules with their occurrences, the newest first; late ones the longest due first',
    access: { who: 'internal' },
    body: {
      workspaceId: Id.optional(),
      flowId: Id.optional(),
      /** Only schedules whose next occurrence should have begun. */
      late: z.boolean().default(false),
      limit: IntText(1, 1_000).default(100),
    },
    result: z.strictObject({ schedules: z.array(ScheduleState) }),
    idempotent: true,
  }),
};
