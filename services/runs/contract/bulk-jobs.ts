import { z } from 'zod';
import { WORKERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { DateTime, Id, IdText, Timestamp } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { BULK_JOB_KINDS } from '../../../models/bulk-job-kind.ts';
import { hasEnded, LIVE_STATUSES, RUN_STATUSES } from '../../../models/run-status.ts';
import { BulkJobLive } from '../runs.problems.ts';
import { NO_ETAG } from './start-fields.ts';

export const BulkJob = z
  .strictObject({
    id: Id,
    kind: z.enum(BULK_JOB_KINDS),
    done: z.int().nonnegative().meta({ description: 'Runs that were cancelled or retried' }),
    failed: z.int().nonnegative().meta({ description: 'Runs whose retry was refused' }),
    finishedAt: Timestamp.nullable(),
  })
  .meta({ id: 'BulkJob' });
export type BulkJob = z.output<typeof BulkJob>;

const ENDED = RUN_STATUSES.filter(hasEnded);

const bulkOperation = {
  audit: { resource: 'bulk-job' },
  uncontended: true,
  idempotency: { sequence: 'run_bulk_jobs' },
  access: {
    who: 'member',
    roles: WORKERS,
    in: { resource: 'flow', parameter: 'flowId' },
  },
  path: { flowId: IdText },
  bodyOptional: true,
  result: z.strictObject({ jobId: Id }),
  status: 202,
  errors: [NotFound, BulkJobLive],
  example: { body: { from: '2026-03-01T00:00:00.000Z' }, answer: { jobId: 1 } },
} as const;

/** The times of creation of the runs of a job. */
const period = {
  from: DateTime.optional().meta({ description: 'Runs made at this time or later' }),
  to: DateTime.optional().meta({ description: 'Runs made at this time or earlier' }),
};
const statusesOf = <const S extends string>(statuses: readonly S[]) =>
  z
    .array(z.enum(statuses))
    .min(1)
    .max(statuses.length)
    .meta({ description: 'The statuses of the runs' });

/** The operations that cancel or retry many runs of a flow. */
export const bulkActions = {
  cancelRuns: action({
    ...bulkOperation,
    summary: 'Cancel many runs of a flow',
    description:
      'Cancels the live runs of these statuses, of every one unless `status` is given. Runs that are made after the request stay as they are. The answer names a job, which goes on after a restart of the service. A flow has one job of each kind at a time.',
    route: 'POST /flows/:flowId/runs/cancel',
    tool: { destructive: true },
    body: { status: statusesOf(LIVE_STATUSES).default(LIVE_STATUSES), ...period },
  }),
  retryRuns: action({
    ...bulkOperation,
    summary: 'Retry many runs of a flow',
    description:
      'Retries the ended runs of these statuses, FAILED and TIMED_OUT unless `status` is given, as a retry of each from the failed step on the same version does; newest first. A run that has been retried already is left out, so that a repeated request goes on with the last run of each chain of retries. Child runs are left out as well: a retry of their parents retries them. While the workspace has as many queued runs as it may have the job waits.',
    route: 'POST /flows/:flowId/runs/retry',
    tool: { openWorld: true },
    body: { status: statusesOf(ENDED).default(['FAILED', 'TIMED_OUT']), ...period },
  }),
  getBulkJob: action({
    summary: 'Get the progress of a job that cancels or retries many runs',
    description: '`finishedAt` is null until the job has looked at all its runs.',
    route: 'GET /flows/bulk-jobs/:id',
    tool: true,
    etag: NO_ETAG,
    access: { who: 'member', roles: WORKERS, in: { resource: 'bulkJob', parameter: 'id' } },
    path: { id: IdText },
    result: BulkJob,
    errors: [NotFound],
    idempotent: true,
    example: {
      answer: {
        id: 1,
        kind: 'retry',
        done: 240,
        failed: 2,
        finishedAt: '2026-03-02T08:15:30.000Z',
      },
    },
  }),
};
