import { QuotaReached, quotaProblem } from '../../mixins/quota.ts';
import { type RunDocument, RunModel } from '../../models/run.model.ts';
import { WorkspaceQuota } from './workspace-quota.ts';

/** Null for no limit. */
export interface StartLimits {
  queuedRuns: number | null;
}

/** What a workspace may have queued and stored; a start that would pass it is refused. */
export class StartQuotas {
  readonly #queuedRuns: WorkspaceQuota | null;

  constructor({ queuedRuns }: StartLimits) {
    this.#queuedRuns = queuedRuns === null ? null : quotaOfQueue(queuedRuns);
  }

  /** Stores the run that is to begin, or throws `QUOTA_REACHED`. */
  store<T>({ workspaceId }: RunDocument, storeRun: () => Promise<T>): Promise<T> {
    return this.#queuedRuns ? this.#queuedRuns.take(workspaceId, 1, storeRun) : storeRun();
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

/** How many runs of the workspace are queued, as far as `most`: a look at no more entries of one index. */
export const queuedRuns = (workspaceId: number, most: number): Promise<number> =>
  RunModel.countDocuments({ live: true, workspaceId, status: 'QUEUED' }, { limit: most });
