import type { RunDocument } from '../../../../models/run.model.ts';
import { type ShareOwner, shareOfWorkspace } from '../../../../support/fair-shares/share.ts';
import { lruCache } from '../../../../support/lru-cache.ts';
import type { Admission } from '../admission/admission.ts';
import type { Reservation } from '../admission/reservation.ts';
import { shareOfRun } from '../admission/run-share.ts';
import { isLateClaim } from '../lease/idle-runs.ts';
import { claimFilterOf, claimOldestRun, claimRuns } from './claim-commands.ts';
import { KindTurns } from './kind-turns.ts';
import { ReadyList } from './ready-list.ts';
import {
  isWorkspaceId,
  kindOf,
  type ReadyOwner,
  type ReadyRun,
  type ReadyRuns,
} from './ready-runs.ts';
import type { UnmatchedRuns } from './unmatched-runs.ts';

export interface ClaimOptions {
  /** The name under which runs are claimed. */
  worker: () => string;
  /** Decides which owners and workspaces may begin another run in this process. */
  admission: Admission;
  /** The level of an owner's recent CPU time, from 0; lower levels come first. */
  levelOf?: (owner: ShareOwner) => number;
  /** Gets the lists of ready runs, and the listed runs that claims do not match. */
  unmatched?: Pick<UnmatchedRuns, 'noteList' | 'noteMiss'>;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

/** A run that this worker has claimed, with the room that is reserved for it. */
export interface ClaimedRun {
  run: RunDocument;
  reservation: Reservation;
}

/** A workspace that the next claim may take a run from. */
interface Candidate {
  shareOwner: ShareOwner;
  workspaceId: number;
}

/** A claim before it is sent. The run is null where only the claim itself finds the run. */
interface PlannedClaim extends Candidate {
  run: ReadyRun | null;
  reservation: Reservation;
}

/**
 * The most claims in one batch; further claims wait for the next batch. Other writes wait while a batch is
 * claimed.
 */
const MAX_BATCH = 8;
/** Owners above level 0 that one claim compares. Further owners wait for a later claim. */
const MAX_COMPARED_OWNERS = 100;
/** Owners whose last workspace is remembered; a forgotten owner begins with the workspace of lowest id. */
const MAX_REMEMBERED_OWNERS = 10_000;

/**
 * Claims the oldest ready run of the next owner's next workspace: owners of the lowest level take turns, then the
 * workspaces of an owner, then new and resumed runs of a workspace (`kind-turns.ts`). Claims whose runs are known
 * beforehand are sent together, in the order of their turns.
 */
export class RunClaimer {
  readonly #options: ClaimOptions;
  /** The owner of the last claim; undefined before the first claim, and after no run was ready. */
  #lastOwner: ShareOwner | undefined;
  readonly #lastWorkspaces = lruCache<ShareOwner, number>(MAX_REMEMBERED_OWNERS);
  readonly #readyList: ReadyList;
  readonly #kindTurns: KindTurns;
  readonly #now: () => number;

  constructor(options: ClaimOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#readyList = new ReadyList(this.#now, (runs) => options.unmatched?.noteList(runs));
    this.#kindTurns = new KindTurns(this.#now);
  }

  /** Notes that an unknown run may have become ready, so that claims soon read the list of ready runs again. */
  invalidateReadyList(): void {
    this.#readyList.invalidate();
  }

  /** The number of times that the list of ready runs has been read. */
  get renewals(): number {
    return this.#readyList.renewals;
  }

  /** Adds a run that has become ready. `renewals` counts the reads of the list before the run's write. */
  addReadyRun(run: ReadyRun, renewals: number): void {
    this.#readyList.addRun(run, renewals);
  }

  /** Whether each claim seeks the next owner in the index. */
  get isSeeking(): boolean {
    return this.#readyList.isSeeking;
  }

  /** Whether a claim could find a run, as far as this process can know. */
  get mayFindRun(): boolean {
    return this.#readyList.known?.length !== 0;
  }

  /** Whether the run is ready for others, as far as this process can know. */
  mayBeReady(runId: number): boolean {
    return this.#readyList.known?.some(({ _id }) => _id === runId) ?? true;
  }

  /**
   * Whether a new run of the owner may begin before every ready run: the owner has no ready run,
   * and no ready run of another owner may begin here now.
   */
  mayPassReady(owner: ShareOwner): boolean {
    const { admission } = this.#options;
    const ready = this.#readyList.known?.map(shareOfRun);
    return ready?.every((share) => share.owner !== owner && !admission.mayTake(share)) ?? false;
  }

  /** Claims the next runs, in the order of their turns. Returns an empty list when no run may be claimed now. */
  async claimNext(): Promise<ClaimedRun[]> {
    const missed = new Set<string>();
    for (;;) {
      let readyRuns = await this.#readyList.getRuns();
      let planned = await this.#planClaims(readyRuns, missed);
      if (!planned.length && !this.#readyList.isCurrent) {
        readyRuns = await this.#readyList.renewRuns();
        planned = await this.#planClaims(readyRuns, missed);
      }
      if (!planned.length) return [];
      const sentAt = this.#now();
      const claimed = await this.#makeClaims(planned, readyRuns);
      if (isLateClaim(sentAt, this.#now())) return releaseClaims(claimed);
      if (claimed.length) return claimed;
      // Other workers have claimed these runs, or no claim matches them. A list lacks them now; an index still has
      // those that no claim matches.
      for (const claim of planned) if (!claim.run) missed.add(keyOf(claim));
    }
  }

  /**
   * Plans the next claims. Plans several claims only for new runs: each gets the same small part of memory. `missed` has
   * the keys of the workspaces in which a seek has found no run.
   */
  async #planClaims(readyRuns: ReadyRuns, missed: ReadonlySet<string>): Promise<PlannedClaim[]> {
    const planned: PlannedClaim[] = [];
    for (;;) {
      const next = await this.#planNextClaim(readyRuns, missed, planned.length === 0);
      if (!next) return planned;
      planned.push(next);
      this.#passTurn(next);
      if (next.run) readyRuns.remove(next.run._id);
      if (!next.run || kindOf(next.run) !== 'new' || planned.length === MAX_BATCH) return planned;
    }
  }

  async #planNextClaim(
    readyRuns: ReadyRuns,
    missed: ReadonlySet<string>,
    isFirst: boolean,
  ): Promise<PlannedClaim | null> {
    for await (const candidate of this.#listCandidates(readyRuns)) {
      const { shareOwner, workspaceId } = candidate;
      const share = shareOfWorkspace(shareOwner, workspaceId);
      if (!this.#options.admission.mayTake(share)) continue;
      const wanted = this.#kindTurns.nextOf(workspaceId);
      const run = readyRuns.oldestOf(shareOwner, workspaceId, wanted);
      if (!run && missed.has(keyOf(candidate))) continue;
      if (!isFirst && !(run && kindOf(run) === 'new')) return null;
      const reservation = this.#options.admission.reserve(share);
      if (reservation) return { ...candidate, run, reservation };
    }
    return null;
  }

  /** Lists the workspaces with ready runs, in the order of their turns. */
  async *#listCandidates(readyRuns: ReadyRuns): AsyncGenerator<Candidate> {
    const { admission, levelOf = () => 0 } = this.#options;
    const passedBy: { ready: ReadyOwner; level: number }[] = [];
    let isAnyReady = false;
    for await (const ready of readyRuns.owners(this.#lastOwner)) {
      isAnyReady = true;
      const { owner } = ready;
      if (!admission.mayOwnerTake(owner)) continue;
      const level = levelOf(owner);
      if (level > 0) passedBy.push({ ready, level });
      else yield* this.#listCandidatesOf(ready, readyRuns);
      if (passedBy.length >= MAX_COMPARED_OWNERS) break;
    }
    if (!isAnyReady) this.#lastOwner = undefined;
    for (const { ready } of passedBy.sort((a, b) => a.level - b.level))
      yield* this.#listCandidatesOf(ready, readyRuns);
  }

  async *#listCandidatesOf(ready: ReadyOwner, readyRuns: ReadyRuns): AsyncGenerator<Candidate> {
    const last = this.#lastWorkspaces.get(ready.owner) ?? 0;
    for await (const workspaceId of readyRuns.workspaces(ready, last)) {
      if (isWorkspaceId(workspaceId)) yield { shareOwner: ready.owner, workspaceId };
      else this.#passOver(ready.owner, workspaceId, readyRuns);
    }
  }

  /** Passes over the runs of a damaged workspace id, by which no claim can ask. */
  #passOver(owner: ShareOwner, workspaceId: number, readyRuns: ReadyRuns): void {
    for (const run of this.#readyList.listedRunsOf(owner, workspaceId)) {
      readyRuns.remove(run._id);
      this.#noteMiss([run], claimFilterOf(run, kindOf(run)));
    }
  }

  #passTurn({ shareOwner, workspaceId, run }: PlannedClaim): void {
    if (run) this.#kindTurns.noteClaim(workspaceId, kindOf(run));
    this.#lastOwner = shareOwner;
    this.#lastWorkspaces.set(shareOwner, workspaceId);
  }

  /** Sends the claims. Gives back the room of runs that other workers have claimed. */
  async #makeClaims(planned: readonly PlannedClaim[], readyRuns: ReadyRuns): Promise<ClaimedRun[]> {
    const unused = new Set(planned.map(({ reservation }) => reservation));
    try {
      const claimed = await this.#sendClaims(planned, readyRuns);
      for (const { reservation } of claimed) unused.delete(reservation);
      return claimed;
    } catch (error) {
      this.invalidateReadyList(); // a failed command may have claimed its runs
      throw error;
    } finally {
      for (const reservation of unused) reservation.release();
    }
  }

  async #sendClaims(planned: readonly PlannedClaim[], readyRuns: ReadyRuns): Promise<ClaimedRun[]> {
    const worker = this.#options.worker();
    const [first, second] = planned;
    if (!first) return [];
    if (!second) {
      const run = await this.#claimOldest(first, readyRuns, worker);
      return run ? [{ run, reservation: first.reservation }] : [];
    }
    const reservations = new Map(planned.map(({ run, reservation }) => [run?._id, reservation]));
    const runs = await claimRuns(
      [...reservations.keys()].filter((id) => id !== undefined),
      worker,
    );
    const claimed = new Set(runs.map(({ _id }) => _id));
    for (const { run } of planned)
      if (run && !claimed.has(run._id)) this.#noteMiss([run], { _id: run._id, ready: true });
    return runs.flatMap((run) => {
      const reservation = reservations.get(run._id);
      return reservation ? [{ run, reservation }] : [];
    });
  }

  /** Claims a run of the workspace in the index: of the kind whose turn it is, or else of the other kind. */
  async #seekOldest(of: Candidate, worker: string): Promise<RunDocument | null> {
    const { shareOwner, workspaceId } = of;
    for (const kind of this.#kindTurns.orderOf(workspaceId)) {
      const run = await claimOldestRun({ shareOwner, workspaceId }, kind, worker);
      if (run) {
        this.#kindTurns.noteClaim(workspaceId, kind);
        return run;
      }
      this.#kindTurns.noteMissing(workspaceId, kind);
    }
    for (const run of this.#readyList.listedRunsOf(shareOwner, workspaceId))
      this.#noteMiss([run], claimFilterOf(run, kindOf(run)));
    return null;
  }

  async #claimOldest(
    planned: PlannedClaim,
    readyRuns: ReadyRuns,
    worker: string,
  ): Promise<RunDocument | null> {
    const { shareOwner, workspaceId, run: listed } = planned;
    if (!listed) return this.#seekOldest(planned, worker);
    const kind = kindOf(listed);
    const others = readyRuns.runsOf(shareOwner, workspaceId, kind);
    const run = await claimOldestRun({ shareOwner, workspaceId }, kind, worker);
    // Runs that were added during the claim stay in the list: the claim may have missed them.
    if (!run) {
      for (const { _id } of others) readyRuns.remove(_id);
      this.#noteMiss([listed, ...others], claimFilterOf({ shareOwner, workspaceId }, kind));
    }
    // An older run had become ready. The planned run may still be ready, although it left the list.
    else if (run._id !== listed._id) {
      readyRuns.remove(run._id);
      this.invalidateReadyList();
    }
    return run;
  }

  #noteMiss(runs: readonly ReadyRun[], filter: object): void {
    this.#options.unmatched?.noteMiss(runs, filter);
  }
}

const keyOf = ({ shareOwner, workspaceId }: Candidate): string =>
  JSON.stringify([shareOwner, workspaceId]);

/** Gives the room of claimed runs back and leaves the runs to the sweep. Returns an empty list. */
function releaseClaims(claimed: readonly ClaimedRun[]): [] {
  for (const { reservation } of claimed) reservation.release();
  return [];
}
