import { LRUCache } from 'lru-cache';
import { type ShareOwner, shareOfWorkspace, UNKNOWN_OWNER } from '../../../mixins/share.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { ReadyList } from './ready-list.ts';
import { CLAIM_ORDER, type ReadyOwner, type ReadyRuns, type StoredOwner } from './ready-runs.ts';
import { shareOfRun } from './run-share.ts';
import type { Slots } from './slots.ts';

export interface ClaimLimits {
  /** Runs of one workspace that may be worked on at once, anywhere. */
  perWorkspace: number;
  /** Runs that all workers together can hold at once. */
  capacity: () => number;
  /** What runs take up here, and which owners and workspaces may begin another one. */
  here: readonly Pick<Slots, 'mayOwnerTake' | 'mayTake'>[];
  /** How much an owner has used lately, from 0; who has used least comes first. */
  levelOf?: (owner: ShareOwner) => number;
}

/** Owners above level 0 that one claim compares; it looks no further then. */
const MAX_PASSED_BY = 100;
/** Owners whose last workspace is remembered; a forgotten one begins with the workspace of lowest id. */
const MAX_REMEMBERED = 10_000;

/**
 * Takes the oldest ready run of the next owner's next workspace, in turn: an owner with ten thousand
 * queued runs in a hundred workspaces gets one claim a round like every other, and so does each of the
 * workspaces. An owner of a lower level comes before all of a higher one.
 */
export class Claims {
  readonly #worker: () => string;
  readonly #limits: ClaimLimits;
  /** The owner of the last claim; undefined before the first, and once nothing was ready. */
  #lastOwner: StoredOwner | undefined;
  readonly #lastWorkspaces = new LRUCache<ShareOwner, number>({ max: MAX_REMEMBERED });
  readonly #ready: ReadyList;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(worker: () => string, limits: ClaimLimits, now?: () => number) {
    this.#worker = worker;
    this.#limits = limits;
    this.#ready = new ReadyList(now);
  }

  /** A run may have become ready. Without such news, claims go by what is known. */
  noteReady(): void {
    this.#ready.noteNews();
  }

  /** The next run, or null when none may be claimed now. */
  async next(): Promise<RunDocument | null> {
    const claimed = await this.#nextOf(await this.#ready.current());
    if (claimed || this.#ready.isCurrent) return claimed;
    return this.#nextOf(await this.#ready.renewed());
  }

  async #nextOf(readyRuns: ReadyRuns): Promise<RunDocument | null> {
    const { here, levelOf = () => 0 } = this.#limits;
    const passedBy: { ready: ReadyOwner; level: number }[] = [];
    let isAnyReady = false;
    for await (const ready of readyRuns.owners(this.#lastOwner)) {
      isAnyReady = true;
      const owner = ready.owner ?? UNKNOWN_OWNER;
      if (!here.every((room) => room.mayOwnerTake(owner))) continue;
      const level = levelOf(owner);
      if (level > 0) passedBy.push({ ready, level });
      else {
        const run = await this.#claimOf(ready, readyRuns);
        if (run) return run;
      }
      if (passedBy.length >= MAX_PASSED_BY) break;
    }
    if (!isAnyReady) this.#lastOwner = undefined;
    for (const { ready } of passedBy.sort((a, b) => a.level - b.level)) {
      const run = await this.#claimOf(ready, readyRuns);
      if (run) return run;
    }
    return null;
  }

  get #workspaceLimit(): number {
    const { capacity, perWorkspace } = this.#limits;
    return capacity() <= perWorkspace ? Number.POSITIVE_INFINITY : perWorkspace;
  }

  /**
   * Two workers that count at the same moment may pass a workspace's limit by one each; the exact
   * number would need one document that every start and end of a run writes to.
   */
  async #claimOf(ready: ReadyOwner, readyRuns: ReadyRuns): Promise<RunDocument | null> {
    const limit = this.#workspaceLimit;
    const owner = ready.owner ?? UNKNOWN_OWNER;
    const last = this.#lastWorkspaces.get(owner) ?? 0;
    for await (const workspaceId of readyRuns.workspaces(ready, last)) {
      const share = shareOfWorkspace(owner, workspaceId);
      if (!this.#limits.here.every((room) => room.mayTake(share))) continue;
      if (limit < Number.POSITIVE_INFINITY && (await runningIn(workspaceId)) >= limit) continue;
      const claimed = await this.#claim({ shareOwner: ready.owner, workspaceId });
      readyRuns.remove(ready.owner, workspaceId, claimed === null);
      if (claimed) return claimed;
    }
    return null;
  }

  async #claim(of: { shareOwner: StoredOwner; workspaceId: number }): Promise<RunDocument | null> {
    const now = new Date();
    const run = await RunModel.findOneAndUpdate(
      { ready: true, ...of },
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
        sort: CLAIM_ORDER,
        returnDocument: 'after',
        updatePipeline: true,
      },
    ).lean<RunDocument>();
    if (!run) return null;
    this.#lastOwner = run.shareOwner ?? null;
    this.#lastWorkspaces.set(shareOfRun(run).owner, run.workspaceId);
    return run;
  }
}

/** Runs of a workspace that a worker holds. One that is put off or that its worker lost is RUNNING as well. */
const runningIn = (workspaceId: number): Promise<number> =>
  RunModel.countDocuments({ live: true, workspaceId, status: 'RUNNING', worker: { $gt: '' } });
