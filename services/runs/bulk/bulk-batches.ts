import { newestFirst } from '../../../contract/page-order.ts';
import { cursorOf } from '../../../contract/pages.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import type { BulkJobDocument } from '../../../models/bulk-job.model.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';

/** Runs of one batch. A batch is repeated as a whole after a crash. */
const BATCH_SIZE = 50;
/** Runs that one read looks at for a batch of retries; the next read looks at further runs. */
const PAGE_SIZE = 500;

/** The runs of the next batch, and the position after these runs. */
export type Batch = Pick<BulkJobDocument, 'batch' | 'position'>;

/** Finds the next batch of a job; null when the job has looked at all its runs. A batch may be empty. */
export const nextBatch = (job: BulkJobDocument): Promise<Batch | null> =>
  job.kind === 'cancel' ? nextCancels(job) : nextRetries(job);

/** A run whose cancel is requested is found no more, so that the search needs no position. */
async function nextCancels(job: BulkJobDocument): Promise<Batch | null> {
  const { workspaceId, flowId, statuses, from, to } = job;
  const runs = await RunModel.find(
    {
      live: true,
      workspaceId,
      flowId,
      status: { $in: statuses },
      createdAt: { ...(from ? { $gte: from } : {}), $lte: to },
      cancelRequestedAt: { $exists: false },
    },
    { _id: 1 },
  )
    .limit(BATCH_SIZE)
    .lean();
  return runs.length ? { batch: runs.map(({ _id }) => ({ runId: _id })) } : null;
}

const FIELDS = { createdAt: 1, status: 1, isChild: 1, expired: 1 } as const;
type ListedRun = Pick<RunDocument, '_id' | keyof typeof FIELDS>;

/**
 * Looks at the runs of the flow from the newest on, by the index of its list. A run that has been retried is left out: its
 * chain of retries goes on at the last run.
 */
async function nextRetries(job: BulkJobDocument): Promise<Batch | null> {
  const { flowId, statuses, from, to } = job;
  const { position = cursorOf(to.getTime(), Number.MAX_SAFE_INTEGER) } = job;
  const since = from ? { $and: [{ createdAt: { $gte: from } }] } : {};
  const filter = { flowId, ...since, ...newestFirst.conditionOf(position) };
  const page = await RunModel.find(filter, FIELDS)
    .sort(newestFirst.sort)
    .limit(PAGE_SIZE)
    .lean<ListedRun[]>();
  const isWanted = ({ status, isChild, expired }: ListedRun) =>
    statuses.includes(status) && !isChild && !expired;
  const candidates = page.filter(isWanted).slice(0, BATCH_SIZE);
  const last = candidates.length === BATCH_SIZE ? candidates.at(-1) : page.at(-1);
  if (!last) return null;
  const retried = await findRetried(candidates);
  const wanted = candidates.filter(({ _id }) => !retried.has(_id));
  const retryIds = await Promise.all(wanted.map(() => nextId('runs')));
  return {
    batch: wanted.map(({ _id }, at) => ({ runId: _id, retryId: retryIds[at] as number })),
    position: newestFirst.cursorOf(last),
  };
}

/** Finds the runs that have been retried, by the index on `retryOf`. */
async function findRetried(runs: readonly ListedRun[]): Promise<Set<number | undefined>> {
  if (!runs.length) return new Set();
  const ids = runs.map(({ _id }) => _id);
  const retries = await RunModel.find({ retryOf: { $in: ids } }, { retryOf: 1 }).lean();
  return new Set(retries.map(({ retryOf }) => retryOf));
}
