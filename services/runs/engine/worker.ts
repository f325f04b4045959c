import type { RunDocument } from '../../../models/run.model.ts';
import type { ShareOwner } from '../../../support/fair-shares/share.ts';
import { Admission } from './admission/admission.ts';
import { MemoryBudget } from './admission/memory-budget.ts';
import { Slots } from './admission/slots.ts';
import { WorkspaceLimit } from './admission/workspace-limit.ts';
import { ClaimLoop } from './claims/claim-loop.ts';
import { type ClaimedRun, RunClaimer } from './claims/run-claimer.ts';
import { RunStarter, type StoreRun } from './claims/run-starter.ts';
import { Waker } from './claims/waker.ts';
import { DatabaseOutageLog } from './database-outage-log.ts';
import { type ExecutionEnd, type ExecutionTools, executeRun } from './execution/execute-run.ts';
import { Job } from './execution/job.ts';
import { type EndedRun, Jobs } from './execution/jobs.ts';
import { endIgnoredCancel, findCancelRequests } from './lease/cancellations.ts';
import { Heartbeat } from './lease/heartbeat.ts';
import { IdleRuns } from './lease/idle-runs.ts';
import { endOverdueRuns } from './lease/overdue-runs.ts';
import { repeatWork } from './periodic-work.ts';

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

const HEARTBEAT_INTERVAL_MS = 1_000;
/** Closely enough that 5 s of silence are noticed within 6 s of a death. */
const WATCH_INTERVAL_MS = 250;
/** Alone there is nobody to watch but whoever comes. */
const LONE_WATCH_INTERVAL_MS = 1_000;
const STALE_CHECK_INTERVAL_MS = 250;
/** For a cancel that no event told of. */
const CANCEL_POLL_INTERVAL_MS = 1_000;
/** The same for a run that became ready, and for a wait that another process began. */
const READY_POLL_INTERVAL_MS = 2_000;
const SWEEP_INTERVAL_MS = 5_000;
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
  readonly #outageLog: DatabaseOutageLog;
  #stops: (() => void)[] = [];
  #abort: NodeJS.Timeout | undefined;
  #isRegistered = false;
  #isStopping = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#outageLog = new DatabaseOutageLog(options.logger);
    const { concurrency, levelOf, isCrowding } = options;
    const freed = () => this.#loop.claimMore();
    const slots = new Slots({ concurrency, onFreed: freed, levelOf, isCrowding });
    this.#heartbeat = options.heartbeat ?? new Heartbeat(slots.count);
    const workspaces = new WorkspaceLimit({
      limit: options.workspaceConcurrency,
      members: () => this.#heartbeat.members,
      id: () => this.#heartbeat.id,
    });
    const memory = new MemoryBudget(options.memoryBytes);
    const admission = new Admission({ slots, memory, workspaces });
    this.#admission = admission;
    const claims = new RunClaimer({ worker: () => this.#heartbeat.id, admission, levelOf });
    const mayClaim = () => this.#mayClaim();
    const begin = (claimed: ClaimedRun) => this.#beginRun(claimed);
    this.#loop = new ClaimLoop({ claims, mayClaim, begin, onError: this.#outageLog.logFailure });
    this.#starter = new RunStarter({
      claims,
      admission,
      loop: this.#loop,
      worker: () => (mayClaim() && !this.#heartbeat.isStale ? this.#heartbeat.id : null),
      begin: (claimed) => this.#beginRun(claimed, true),
      announceReady: options.announceReady,
    });
    this.#waker = new Waker({
      onWoken: () => this.#announceReady(),
      onError: this.#outageLog.logFailure,
    });
  }

  /** Its name in the list of workers. */
  get id(): string {
    return this.#heartbeat.id;
  }

  async start(): Promise<void> {
    await this.#heartbeat.register();
    await this.#heartbeat.watch(); // shares of limits go by the others
    this.#isRegistered = true;
    await this.#waker.wakeDueRuns();
    this.#stops = [
      repeatWork(HEARTBEAT_INTERVAL_MS, () => this.#beat(), this.#outageLog.logFailure),
      repeatWork(
        () => (this.#heartbeat.isAlone ? LONE_WATCH_INTERVAL_MS : WATCH_INTERVAL_MS),
        () => this.#watchWorkers(),
        this.#outageLog.logFailure,
      ),
      repeatWork(
        CANCEL_POLL_INTERVAL_MS,
        () => this.#cancelRequestedRuns(),
        this.#outageLog.logFailure,
      ),
      repeatWork(READY_POLL_INTERVAL_MS, () => this.#pollReadyRuns(), this.#outageLog.logFailure),
      repeatWork(SWEEP_INTERVAL_MS, () => this.#sweepRuns(), this.#outageLog.logFailure),
      repeatWork(
        STALE_CHECK_INTERVAL_MS,
        () => this.#abandonStaleRuns(),
        this.#outageLog.logFailure,
      ),
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
    this.#jobs.cancelRun(runId);
  }

  /** Claims nothing more from here on; what is under way may end its step, and is then aborted. */
  drain(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#waker.stop();
    this.#jobs.drainAll();
    this.#abort = setTimeout(() => this.#jobs.interruptAll('stopping'), STOP_GRACE_MS);
  }

  /** Hands over what is under way, after its effect was journalled or aborted. */
  async stop(): Promise<void> {
    this.drain();
    const limit = new Promise((resolve) => setTimeout(resolve, STOP_LIMIT_MS).unref());
    await Promise.race([this.#jobs.waitForAll(), limit]);
    clearTimeout(this.#abort);
    for (const stop of this.#stops) stop();
    if (this.#isRegistered) await this.#heartbeat.deregister().catch(this.#outageLog.logFailure);
    this.#isRegistered = false;
    this.#options.announceReady();
  }

  #mayClaim(): boolean {
    return this.#isRegistered && !this.#isStopping && this.#admission.hasRoom;
  }

  #beginRun({ run, reservation }: ClaimedRun, isFromHere = false): void {
    const name = this.#heartbeat.id;
    // Claimed under a name that is given up by now: the others take such a run over.
    const isLost = run.worker !== name || !this.#isRegistered;
    if (isLost || this.#jobs.has(run)) {
      reservation.release();
      return;
    }
    const counts = () => this.#heartbeat.id === name && !this.#heartbeat.isStale;
    const job = new Job(run, name, counts, reservation);
    if (this.#isStopping) job.drain();
    this.#jobs.add(
      job,
      executeRun(job, this.#options).then((end) => this.#finishJob(job, end, isFromHere)),
    );
  }

  #finishJob(job: Job, end: ExecutionEnd, isFromHere: boolean): void {
    this.#jobs.remove(job);
    job.releaseRoom();
    const { doc, ended: run } = job.run;
    if (end.kind === 'waiting') this.#waker.armTimer(end.wakeAt);
    if (end.kind === 'ended') this.#options.announceEnd({ runId: doc._id, run, isFromHere });
    if (end.kind === 'released')
      this.wake(); // the run may be ready again
    else this.#loop.claimMore();
  }

  async #beat(): Promise<void> {
    if (this.#isRegistered && (await this.#heartbeat.beat())) return this.#outageLog.logRecovery();
    this.#abandonRuns();
    if (this.#isStopping) return;
    await this.#heartbeat.deregister();
    await this.#heartbeat.register();
    await this.#watchWorkers();
    this.#isRegistered = true;
    this.wake();
  }

  /** Apart from the beat itself, which may hang while the database does. */
  #abandonStaleRuns(): undefined {
    if (this.#isRegistered && this.#heartbeat.isStale) this.#abandonRuns();
  }

  #abandonRuns(): void {
    this.#isRegistered = false;
    this.#jobs.interruptAll('lost');
  }

  async #watchWorkers(): Promise<void> {
    if (await this.#heartbeat.watch()) this.#announceReady();
  }

  async #pollReadyRuns(): Promise<void> {
    if (this.#isStopping) return;
    this.wake();
    await this.#waker.wakeDueRuns();
  }

  /**
   * Gives back what is held under no name, or under this one without being worked on: a release failed.
   * Ends what should have ended and is held by nobody.
   */
  async #sweepRuns(): Promise<void> {
    let taken = await this.#heartbeat.takeOverOrphanedRuns();
    taken += await this.#idleRuns.takeOver(this.#heartbeat.id);
    for (const runId of await endOverdueRuns()) this.#options.announceEnd({ runId });
    if (taken) this.#announceReady();
  }

  async #cancelRequestedRuns(): Promise<void> {
    for (const wanted of await findCancelRequests()) {
      if (wanted.worker === this.#heartbeat.id) this.cancel(wanted._id);
      if (await endIgnoredCancel(wanted)) this.#options.announceEnd({ runId: wanted._id });
    }
  }

  #announceReady(): void {
    this.wake();
    this.#options.announceReady();
  }
}
