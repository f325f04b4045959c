import { invalidRequest, Problem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { outboxOf } from '../../../mixins/changes/outbox.ts';
import { outboxesOf } from '../../../mixins/changes/outbox-source.ts';
import { batchFind } from '../../../mixins/database/batch-loader.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { type BulkJobDocument, BulkJobModel } from '../../../models/bulk-job.model.ts';
import type { BulkJobKind } from '../../../models/bulk-job-kind.ts';
import type { RunStatus } from '../../../models/run-status.ts';
import type { ShareOwner } from '../../../support/fair-shares/share.ts';
import type { BulkJob } from '../contract/bulk-jobs.ts';
import { BulkJobLive } from '../runs.problems.ts';

/** The outboxes of bulk jobs, with the audit entries of their creation. */
export const bulkJobOutboxes = outboxesOf(BulkJobModel);

export const findBulkJob = batchFind<BulkJobDocument>(BulkJobModel);

export interface NewBulkJob {
  kind: BulkJobKind;
  flow: { id: number; workspaceId: number };
  shareOwner: ShareOwner;
  /** The statuses of the job's runs. */
  status: readonly RunStatus[];
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Stores a job for the runs that exist now. Throws 409 while the flow has a live job of this kind. A request whose earlier
 * attempt has stored the job gets that job.
 */
export async function createBulkJob(
  { kind, flow, shareOwner, status, from, to }: NewBulkJob,
  change: ChangeContext,
): Promise<{ jobId: number }> {
  if (from && to && from > to) {
    const message = 'must not be after `to`';
    throw invalidRequest([{ in: 'body', path: 'from', code: 'after_to', message }]);
  }
  const { actor, via, requestId, reservedId } = change;
  if (reservedId !== undefined && (await findBulkJob(reservedId))) return { jobId: reservedId };
  const _id = reservedId ?? (await nextId('run_bulk_jobs'));
  const at = databaseClock.date();
  const { id: flowId, workspaceId } = flow;
  const job: BulkJobDocument = {
    _id,
    workspaceId,
    shareOwner,
    flowId,
    kind,
    statuses: [...new Set(status)],
    ...(from ? { from: new Date(from) } : {}),
    to: to && Date.parse(to) < at.getTime() ? new Date(to) : at,
    actor,
    via,
    requestId,
    createdAt: at,
    live: true,
    done: 0,
    failed: 0,
    batch: [],
    dueAt: at,
    delays: 0,
    outbox: outboxOf(change, { id: _id, workspaceId }, { at }),
  };
  await insertJob(job);
  bulkJobOutboxes.publish(_id, job.outbox);
  return { jobId: _id };
}

async function insertJob(job: BulkJobDocument): Promise<void> {
  try {
    await BulkJobModel.insertMany([job], { lean: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const { _id, flowId, kind } = job;
    if (await BulkJobModel.exists({ _id })) return; // an earlier try of the insert has stored the job
    const live = await BulkJobModel.findOne({ flowId, kind, live: true }, { _id: 1 }).lean();
    const which = live ? `job ${live._id}` : 'a job';
    throw new Problem(BulkJobLive, `The flow has ${which} of this kind that is not finished.`);
  }
}

export const showBulkJob = ({ _id, kind, done, failed, finishedAt }: BulkJobDocument): BulkJob => ({
  id: _id,
  kind,
  done,
  failed,
  finishedAt: finishedAt?.toISOString() ?? null,
});
