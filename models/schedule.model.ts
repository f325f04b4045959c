import type { ShareOwner } from '../support/fair-shares/share.ts';
import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';
import { triggerIndexes, triggerSlots } from './trigger-slots.ts';

/** What becomes of missed occurrences. */
export const MISFIRES = ['SKIP', 'RUN_ONCE', 'RUN_ALL'] as const;
export type Misfire = (typeof MISFIRES)[number];

/** Whether an occurrence starts a run while the run of an earlier occurrence is live. */
export const OVERLAPS = ['ALLOW', 'SKIP'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** How an occurrence ended: its run was started, the start was refused, or an earlier run was live (`overlap: SKIP`). */
export const OCCURRENCE_OUTCOMES = ['STARTED', 'REFUSED', 'OVERLAPPED'] as const;
export type OccurrenceOutcome = (typeof OCCURRENCE_OUTCOMES)[number];

/** The last occurrence that is over. */
const lastOccurrence = field.object({
  at: field.date,
  outcome: field.stringOf<OccurrenceOutcome>(),
  /** The run of a started occurrence. */
  runId: field.optional(field.number),
  /** The code and the detail of the problem of a refused start. */
  code: field.optional(field.string),
  detail: field.optional(field.string),
});

/** A schedule: when a flow runs. This document alone decides which occurrence comes next, and which process starts it. */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  flowId: field.number,
  /** A cron line of five fields. */
  cron: field.string,
  /** The IANA name of the zone in which `cron` is read. */
  timeZone: field.string,
  /** The input of the runs as JSON. */
  input: field.string,
  /** The id or the external id of the configuration store of the runs. */
  configuration: field.nullable(field.mixed<number | string>()),
  misfire: field.stringOf<Misfire>(),
  overlap: field.stringOf<Overlap>(),
  enabled: field.boolean,
  createdBy: actor,
  createdAt: field.date,
  ...triggerSlots,

  /** The first occurrence that is not over. Absent while the schedule is disabled, and after its last occurrence. */
  nextOccurrence: field.optional(field.date),
  /** The time from which a scheduler looks at `nextOccurrence`: its own, the end of a lease, or that of a backoff. */
  dueAt: field.optional(field.date),
  /** The owner of the workspace as of the creation or the last occurrence, for turns between owners. */
  shareOwner: field.stringOf<ShareOwner>(),
  /** The lease of a scheduler on `nextOccurrence`, a random text. Each lease and each change replaces it. */
  lease: field.optional(field.string),
  /** The number of failed attempts to start `nextOccurrence`. An occurrence with attempts does not become missed. */
  attempts: field.optional(field.number),
  /** For operators. No answer shows it. */
  lastOccurrence: field.optional(lastOccurrence),
  ...changedFields,
};
export type ScheduleDocument = DocumentOf<typeof fields>;

export const ScheduleModel = defineModel({
  name: 'Schedule',
  collection: 'schedules',
  fields,
  indexes: [
    outboxIndex,
    ...triggerIndexes,
    // The due schedules are found from this index alone.
    [
      { dueAt: 1, shareOwner: 1, workspaceId: 1, _id: 1 },
      { partialFilterExpression: { dueAt: { $exists: true } } },
    ],
    // The schedule that is overdue for longest, leased and postponed ones included, for operators and figures.
    [{ nextOccurrence: 1 }, { partialFilterExpression: { nextOccurrence: { $exists: true } } }],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['createdBy'] },
  },
});
