import type { Via } from '../contract/audit.ts';
import { actor } from './actor.ts';
import type { BulkJobKind } from './bulk-job-kind.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';
import type { RunStatus } from './run-status.ts';

/** A run of a batch, with the id that its retry gets. */
const batchItem = field.object({
  runId: field.number,
  retryId: field.optional(field.number),
});

/** The cancel, or the retry, of many runs of a flow. A process carries it out in batches, under a lease. */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  /** The owner to whom the work of the workspace is charged: owners take turns. */
  shareOwner: field.string,
  flowId: field.number,
  kind: field.stringOf<BulkJobKind>(),
  /** The runs of the job: those of these statuses that were made from `from` to `to`, both included. */
  statuses: field.list(field.stringOf<RunStatus>()),
  from: field.optional(field.date),
  to: field.date,
  /** The author of the job, and the request, for the audit entries of its cancels and retries. */
  actor,
  via: field.stringOf<Via>(),
  requestId: field.nullable(field.string),
  createdAt: field.date,
  finishedAt: field.optional(field.date),
  /** Set until the job is finished. A flow has one live job of each kind. */
  live: field.flag,
  /** The runs that were cancelled or retried, and those whose retry was refused. */
  done: field.number,
  failed: field.number,
  /** The runs that the job is working on. They are stored before, so that a repeat works on the same runs. */
  batch: field.list(batchItem),
  /** The cursor of the last run that a batch of retries has looked at, newest first. Absent at the beginning. */
  position: field.optional(field.string),
  /** The time at which the next work is due, or the lease of a process ends. Absent in a finished job. */
  dueAt: field.optional(field.date),
  /** The lease of the process that works on the job. Absent without such a process. */
  lease: field.optional(field.string),
  /** The number of delays in a row. */
  delays: field.number,
  /** The time from which the database may delete the finished job. */
  expiresAt: field.optional(field.date),
  outbox: changedFields.outbox,
};
export type BulkJobDocument = DocumentOf<typeof fields>;

export const BulkJobModel = defineModel({
  name: 'BulkJob',
  collection: 'run_bulk_jobs',
  fields,
  indexes: [
    outboxIndex,
    [
      { flowId: 1, kind: 1 },
      { unique: true, partialFilterExpression: { live: true } },
    ],
    [{ shareOwner: 1, dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } } }],
    [{ workspaceId: 1, _id: 1 }],
    [{ expiresAt: 1 }, { expireAfterSeconds: 0, sparse: true }],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['actor'] },
  },
});
