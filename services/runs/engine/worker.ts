import type { RunDocument } from '../../../models/run.model.ts';
import type { ShareOwner } from '../../../support/fair-shares/share.ts';
import { Admission } from './admission/admission.ts';
import { MemoryBudget } from './admission/memory-budget.ts';
import { Slots } from './admission/slots.ts';
import { WorkspaceLimit } from './admission/workspace-limit.ts';
import { type ClaimedRun, Claims } from './claims/claim.ts';
import { ClaimLoop } from './claims/claim-loop.ts';
import { RunStarter, type StoreRun } from './claims/run-starter.ts';
import { Waker } from './claims/waker.ts';
import { Outages } from './database-outage-log.ts';
import { type ExecutionEnd, type ExecutionTools, executeRun } from './execution/execute-run.ts';
import { Job } from './execution/job.ts';
import { type EndedRun, Jobs } from './execution/jobs.ts';
import { cancelsWanted, endIfIgnored } from './lease/cancellations.ts';
import { Heartbeat } from './lease/heartbeat.ts';
import { IdleRuns } from './lease/idle-runs.ts';
import { endOverdue } from './lease/overdue-runs.ts';
import { repeat } from './periodic-work.ts';

export interface WorkerOptions extends ExecutionTools {
  /** Runs worked on at once here, and of one workspace anywhere. */
  concurrency: number;
  workspaceConcurrency: number;
  /** How much CPU time an owner has used lately, from 0; who has used least comes first. */
  levelOf: (owner: ShareOwner) => number;
  /** Whether an owner is over their share while others compute as well. */
  isCrowding: (owner: ShareOwner) => boolean;
  /** Tells other processes that runs may be ready. */
  announceReady: (runId?: number) => void;
  announceEnd: (ended: EndedRun) => void;
  heartbeat?: Heartbeat;
  /** Bytes that the runs which are followed here may hold together; a part of the heap unless given. */
  memoryBytes?: number;
}

const BEAT_MS = 1_000;
/** Closely enough that 5 s of silence are noticed within 6 s of a death. */
const WATCH_MS = 250;
/** Alone there is nobody to watch but whoever comes. */
const WATCH_ALONE_MS = 1_000;
const STALE_LOOK_MS = 250;
/** For a cancel that no event told of. */
const CANCEL_POLL_MS = 1_000;
/** The same for a run that became ready, and for a wait that another process began. */
const POLL_MS = 2_000;
const SWEEP_MS = 5_000;
/** What a stop grants to what is under way, and then to its abortion. */
const STOP_GRACE_MS = 3_000;
const STOP_LIMIT_MS = 5_000;

/** The part of the process that works on runs. Others tell it of news; it finds out by itself as well. */
export class RunWorker {
  readonly #options: WorkerOptions;
  readonly #heartbeat: Heartbeat;
  readonly #loop: ClaimLoop;
  readonly #starter: RunStarter;
  readonly #waker: Waker;
  readonly #jobs = new Jobs();
  readonly #idleRuns = new IdleRuns(() => this.#jobs.runIds);
  readonly #admission: Admission;
  readonly #outages: Outages;
  #stops: (() => void)[] = [];
  #abort: NodeJS.Timeout | undefined;
  #registered = false;
  #stopping = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#outages = new Outages(options.logger);
    const { concurrency, levelOf, isCrowding } = options;
    const freed = () => this.#loop.claimMore();
    const slots = new Slots({ concurrency, freed, levelOf, isCrowding });
    this.#heartbeat = options.heartbeat ?? new Heartbeat(slots.count);
    const workspaces = new WorkspaceLimit({
      limit: options.workspaceConcurrency,
      members: () => this.#heartbeat.members,
      id: () => this.#heartbeat.id,
    });
    const memory = new MemoryBudget(options.memoryBytes);
    const admission = new Admission({ slots, memory, workspaces });
    this.#admission = admission;
    const claims = new Claims({ worker: () => this.#heartbeat.id, admission, levelOf });
    const mayClaim = () => this.#mayClaim();
    const begin = (claimed: ClaimedRun) => this.#begin(claimed);
    this.#loop = new ClaimLoop({ claims, mayClaim, begin, failed: this.#outages.failed });
    this.#starter = new RunStarter({
      claims,
      admission,
      loop: this.#loop,
      worker: () => (mayClaim() && !this.#heartbeat.stale ? this.#heartbeat.id : null),
      begin: (claimed) => this.#begin(claimed, true),
      announceReady: options.announceReady,
    });
    this.#waker = new Waker({ woken: () => this.#announceReady(), failed: this.#outages.failed });
  }

  /** Its name in the list of workers. */
  get id(): string {
    return this.#heartbeat.id;
  }

  async start(): Promise<void> {
    await this.#heartbeat.register();
    await this.#heartbeat.watch(); // shares of limits go by the others
    this.#registered = true;
    await this.#waker.look();
    this.#stops = [
      repeat(BEAT_MS, () => this.#beat(), this.#outages.failed),
      repeat(
        () => (this.#heartbeat.alone ? WATCH_ALONE_MS : WATCH_MS),
        () => this.#watch(),
        this.#outages.failed,
      ),
      repeat(CANCEL_POLL_MS, () => this.#cancelWanted(), this.#outages.failed),
      repeat(POLL_MS, () => this.#poll(), this.#outages.failed),
      repeat(SWEEP_MS, () => this.#sweep(), this.#outages.failed),
      repeat(STALE_LOOK_MS, () => this.#dropWhenStale(), this.#outages.failed),
    ];
    this.wake();
  }

  /** Runs may have become ready: claims them, as many as there is room for. */
  wake(): void {
    this.#loop.wake();
  }

  /** Stores a new run, claimed already where it may begin here at once. Returns it as it is stored. */
  store(run: RunDocument, storeRun: StoreRun): Promise<RunDocument> {
    return this.#starter.store(run, storeRun);
  }

  /** Somebody wants the run cancelled. */
  cancel(runId: number): void {
    this.#jobs.cancel(runId);
  }

  /** Claims nothing more from here on; what is under way may end its step, and is then aborted. */
  leave(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#waker.stop();
    this.#jobs.leaveAll();
    this.#abort = setTimeout(() => this.#jobs.interruptAll('stopping'), STOP_GRACE_MS);
  }

  /** Hands over what is under way, after its effect was journalled or aborted. */
  async stop(): Promise<void> {
    this.leave();
    const limit = new Promise((resolve) => setTimeout(resolve, STOP_LIMIT_MS).unref());
    await Promise.race([this.#jobs.allDone(), limit]);
    clearTimeout(this.#abort);
    for (const stop of this.#stops) stop();
    if (this.#registered) await this.#heartbeat.leave().catch(this.#outages.failed);
    this.#registered = false;
    this.#options.announceReady();
  }

  #mayClaim(): boolean {
    return this.#registered && !this.#stopping && this.#admission.anyFree;
  }

  #begin({ run, reservation }: ClaimedRun, isFromHere = false): void {
    const name = this.#heartbeat.id;
    // Claimed under a name that is given up by now: the others take such a run over.
    const isLost = run.worker !== name || !this.#registered;
    if (isLost || this.#jobs.has(run)) {
      reservation.end();
      return;
    }
    const counts = () => this.#heartbeat.id === name && !this.#heartbeat.stale;
    const job = new Job(run, name, counts, reservation);
    if (this.#stopping) job.leave();
    this.#jobs.add(
      job,
      executeRun(job, this.#options).then((end) => this.#ended(job, end, isFromHere)),
    );
  }

  #ended(job: Job, end: ExecutionEnd, isFromHere: boolean): void {
    this.#jobs.remove(job);
    job.end();
    const { doc, ended: run } = job.run;
    if (end.kind === 'waiting') this.#waker.arm(end.wakeAt);
    if (end.kind === 'ended') this.#options.announceEnd({ runId: doc._id, run, isFromHere });
    if (end.kind === 'let-go')
      this.wake(); // the run may be ready again
    else this.#loop.claimMore();
  }

  async #beat(): Promise<void> {
    if (this.#registered && (await this.#heartbeat.beat())) return this.#outages.over();
    this.#drop();
    if (this.#stopping) return;
    await this.#heartbeat.leave();
    await this.#heartbeat.register();
    await this.#watch();
    this.#registered = true;
    this.wake();
  }

  /** Apart from the beat itself, which may hang while the database does. */
  #dropWhenStale(): undefined {
    if (this.#registered && this.#heartbeat.stale) this.#drop();
  }

  #drop(): void {
    this.#registered = false;
    this.#jobs.interruptAll('lost');
  }

  async #watch(): Promise<void> {
    if (await this.#heartbeat.watch()) this.#announceReady();
  }

  async #poll(): Promise<void> {
    if (this.#stopping) return;
    this.wake();
    await this.#waker.look();
  }

  /**
   * Gives back what is held under no name, or under this one without being worked on: a release failed.
   * Ends what should have ended and is held by nobody.
   */
  async #sweep(): Promise<void> {
    let taken = await this.#heartbeat.sweep();
    taken += await this.#idleRuns.takeOver(this.#heartbeat.id);
    for (const runId of await endOverdue()) this.#options.announceEnd({ runId });
    if (taken) this.#announceReady();
  }

  async #cancelWanted(): Promise<void> {
    for (const wanted of await cancelsWanted()) {
      if (wanted.worker === this.#heartbeat.id) this.cancel(wanted._id);
      if (await endIfIgnored(wanted)) this.#options.announceEnd({ runId: wanted._id });
    }
  }

  #announceReady(): void {
    this.wake();
    this.#options.announceReady();
  }
}
