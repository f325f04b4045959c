import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import type { Slots } from './slots.ts';

export interface ClaimLimits {
  /** Runs of one workspace that may be worked on at once, anywhere. */
  perWorkspace: number;
  /** Runs that all workers together can hold at once. */
  capacity: () => number;
  /** What runs take up here, and which workspaces may begin another one; those without any always may. */
  here: readonly Pick<Slots, 'anyFull' | 'mayTake'>[];
}

/**
 * Takes the oldest ready run of the next workspace, in turn: a workspace with ten thousand queued runs
 * gets one claim a round like every other. The index on `ready` holds only ready runs, by workspace, so
 * that each claim is one look at its beginning.
 */
export class Claims {
  readonly #worker: () => string;
  readonly #limits: ClaimLimits;
  /** The workspace of the last claim. */
  #last = 0;

  constructor(worker: () => string, limits: ClaimLimits) {
    this.#worker = worker;
    this.#limits = limits;
  }

  /** The next run, or null when none may be claimed now. */
  async next(): Promise<RunDocument | null> {
    const { capacity, perWorkspace, here } = this.#limits;
    const limit = capacity() <= perWorkspace ? Number.POSITIVE_INFINITY : perWorkspace;
    if (limit === Number.POSITIVE_INFINITY && !here.some(({ anyFull }) => anyFull))
      return this.#claimAnywhere();
    return this.#claimBelow(limit);
  }

  /** Without a look at the workspace: none has all that it may have here, and all workers together could not pass its limit. */
  async #claimAnywhere(): Promise<RunDocument | null> {
    const next = await this.#claim({ $gt: this.#last });
    if (next || this.#last === 0) return next;
    this.#last = 0;
    return this.#claim({ $gt: 0 });
  }

  /**
   * Two workers that count at the same moment may pass a workspace's limit by one each; the exact
   * number would need one document that every start and end of a run writes to.
   */
  async #claimBelow(limit: number): Promise<RunDocument | null> {
    const seen = new Set<number>();
    for (let after = this.#last; ; ) {
      const workspaceId = (await readyAfter(after)) ?? (after > 0 ? await readyAfter(0) : null);
      if (workspaceId === null || seen.has(workspaceId)) return null;
      seen.add(workspaceId);
      after = workspaceId;
      if (!this.#limits.here.every((room) => room.mayTake(workspaceId))) continue;
      if (limit < Number.POSITIVE_INFINITY && (await runningIn(workspaceId)) >= limit) continue;
      const claimed = await this.#claim({ $eq: workspaceId });
      if (claimed) return claimed;
    }
  }

  async #claim(workspaceId: { $gt: number } | { $eq: number }): Promise<RunDocument | null> {
    const now = new Date();
    const run = await RunModel.findOneAndUpdate(
      { ready: true, workspaceId },
      [
        {
          $set: {
            status: 'RUNNING',
            worker: this.#worker(),
            fence: { $add: ['$fence', 1] },
            startedAt: { $ifNull: ['$startedAt', now] },
            deadlineAt: { $ifNull: ['$deadlineAt', { $add: [now, '$timeoutMs'] }] },
          },
        },
        { $unset: ['ready', 'readyAt', 'wakeAt'] },
      ],
      {
        sort: { workspaceId: 1, createdAt: 1, _id: 1 },
        returnDocument: 'after',
        updatePipeline: true,
      },
    ).lean<RunDocument>();
    if (run) this.#last = run.workspaceId;
    return run;
  }
}

async function readyAfter(workspaceId: number): Promise<number | null> {
  const next = await RunModel.findOne(
    { ready: true, workspaceId: { $gt: workspaceId } },
    { workspaceId: 1 },
  )
    .sort({ workspaceId: 1, createdAt: 1, _id: 1 })
    .lean();
  return next?.workspaceId ?? null;
}

/** Runs of a workspace that a worker holds. One that is put off or that its worker lost is RUNNING as well. */
const runningIn = (workspaceId: number): Promise<number> =>
  RunModel.countDocuments({ live: true, workspaceId, status: 'RUNNING', worker: { $gt: '' } });
