import { QuotaReached, quotaProblem } from '../../../contract/quota.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { storedBytes } from './stored-bytes.ts';
import { WorkspaceQuota } from './workspace-quota.ts';

/** The most bytes that a run should store between two measurements; with more, its workspace may exceed the quota. */
const RUN_GROWTH_BYTES = 1024 * 1024;

/** The limits of a workspace; null stands for no limit. */
export interface StartLimits {
  queuedRuns: number | null;
  runBytes: number | null;
}

/** The quotas of queued runs and of stored bytes. A start that would exceed one is refused. */
export class StartQuotas {
  readonly #queuedRuns: WorkspaceQuota | null;
  readonly #runBytes: WorkspaceQuota | null;

  constructor({ queuedRuns, runBytes }: StartLimits) {
    this.#queuedRuns = queuedRuns === null ? null : quotaOfQueue(queuedRuns);
    this.#runBytes = runBytes === null ? null : quotaOfBytes(runBytes);
  }

  /** Stores a run by `storeRun`, or throws `QUOTA_REACHED`. */
  store<T>({ workspaceId, baseBytes = 0 }: RunDocument, storeRun: () => Promise<T>): Promise<T> {
    const [queued, stored] = [this.#queuedRuns, this.#runBytes];
    const store = stored ? () => stored.take(workspaceId, baseBytes, storeRun) : storeRun;
    return queued ? queued.take(workspaceId, 1, store) : store();
  }
}

const quotaOfQueue = (limit: number): WorkspaceQuota =>
  new WorkspaceQuota({
    limit,
    measure: (workspaceId) => queuedRuns(workspaceId, limit),
    refusal: () =>
      quotaProblem(
        QuotaReached,
        'QUEUED_RUNS_PER_WORKSPACE',
        limit,
        `A workspace may have ${limit} queued runs at most.`,
      ),
  });

const quotaOfBytes = (limit: number): WorkspaceQuota =>
  new WorkspaceQuota({
    limit,
    measure: storedBytes,
    growth: RUN_GROWTH_BYTES,
    refusal: () =>
      quotaProblem(
        QuotaReached,
        'RUN_BYTES_PER_WORKSPACE',
        limit,
        `The runs of a workspace may take ${limit} bytes at most; old ones go by themselves.`,
      ),
  });

/** Counts the queued runs of the workspace, up to `most`, and reads no more entries of one index. */
export const queuedRuns = (workspaceId: number, most: number): Promise<number> =>
  RunModel.countDocuments({ live: true, workspaceId, status: 'QUEUED' }, { limit: most });
