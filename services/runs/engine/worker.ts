import type { RunDocument } from '../../../models/run.model.ts';
import type { ShareOwner } from '../../../support/fair-shares/share.ts';
import { noteActivity } from '../../../support/activity.ts';
import { lruCache } from '../../../support/lru-cache.ts';
import { Admission } from './admission/admission.ts';
import { MemoryBudget } from './admission/memory-budget.ts';
import { Slots } from './admission/slots.ts';
import { WorkspaceLimit } from './admission/workspace-limit.ts';
import { ClaimLoop } from './claims/claim-loop.ts';
import { type ClaimedRun, RunClaimer } from './claims/run-claimer.ts';
import { RunStarter, type StoreRun, type WaitingRun } from './claims/run-starter.ts';
import { UnmatchedRuns } from './claims/unmatched-runs.ts';
import { Waker } from './claims/waker.ts';
import { DatabaseOutageLog } from './database-outage-log.ts';
import { type ExecutionEnd, type ExecutionTools, executeRun } from './execution/execute-run.ts';
import { Job } from './execution/job.ts';
import { type EndedRun, Jobs } from './execution/jobs.ts';
import { endIgnoredCancel, findCancelRequests } from './lease/cancellations.ts';
import { Heartbeat } from './lease/heartbeat.ts';
import { IdleRuns } from './lease/idle-runs.ts';
import { endOverdueRuns } from './lease/overdue-runs.ts';
import { findNotified } from './mailbox/mailbox.ts';
import type { WakingWrites } from './mailbox/notify-run.ts';
import { FlowPermits } from './permits/flow-permits.ts';
import { scheduleWork } from './worker-schedule.ts';

export interface WorkerOptions extends Omit<ExecutionTools, 'isSafelyHeld'> {
  /** Runs that this process executes at once. */
  concurrency: number;
  /** Runs of one workspace that all processes together execute at once. */
  workspaceConcurrency: number;
  /** The level of an owner's recent CPU time, from 0; lower levels come first. */
  levelOf: (owner: ShareOwner) => number;
  /** Whether an owner uses more than its share of CPU time while other owners compute. */
  isCrowding: (owner: ShareOwner) => boolean;
  /** Whether the owner's runs are paced, because an owner who has used less is active. */
  isPaced: (owner: ShareOwner) => boolean;
  /** Charges an owner for work of this process, in milliseconds of CPU time. */
  charge: (owner: ShareOwner, cpuMs: number) => void;
  /** Announces to other processes that runs may be ready. */
  announceReady: (runId?: number) => void;
  announceEnd: (ended: EndedRun) => void;
  /** Announces the first claim of a run. */
  announceBegin?: (runId: number) => void;
  /** Completes the ends within families of runs whose announcement was lost. */
  sweepFamilies: () => Promise<void>;
  heartbeat?: Heartbeat;
  /** Milliseconds that a start waits for the claims under way; by default those of `RunStarter`. */
  claimsTimeoutMs?: number | undefined;
  /** Bytes of memory that the runs of this process may hold together; by default a part of the heap. */
  memoryBytes?: number;
}

/**
 * Milliseconds that runs have to end their effects after the process begins to stop. Then the runs are
 * interrupted.
 */
const STOP_GRACE_MS = 3_000;
/** Notifications of runs that a claim may be reading, and the milliseconds for which they are remembered. */
const MAX_NOTIFIED = 10_000;
const NOTIFIED_TTL_MS = 5_000;
/** Milliseconds that `stop` waits for the runs of this process. Then `stop` gives their leases up. */
const STOP_LIMIT_MS = 5_000;

/**
 * Claims and executes runs in this process. Calls of `wake` and `cancel` shorten delays; polls make up for lost
 * calls.
 */
export class RunWorker {
  readonly #options: WorkerOptions;
  readonly #tools: ExecutionTools;
  readonly #heartbeat: Heartbeat;
  readonly #loop: ClaimLoop;
  readonly #starter: RunStarter;
  readonly #waker: Waker;
  readonly #permits: FlowPermits;
  readonly #jobs = new Jobs();
  /** The runs of the latest notifications that nobody here executed: their claims may have read them before. */
  readonly #notified = lruCache<number, true>(MAX_NOTIFIED, { ttl: NOTIFIED_TTL_MS });
  readonly #idleRuns = new IdleRuns(() => this.#jobs.runIds);
  readonly #admission: Admission;
  readonly #outageLog: DatabaseOutageLog;
  readonly #unmatched: UnmatchedRuns;
  #stopSchedule: () => void = () => undefined;
  #abort: NodeJS.Timeout | undefined;
  #isRegistered = false;
  #isStopping = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const isSafelyHeld = (runId: number) =>
      this.#heartbeat.isFresh && (this.#jobs.latestOf(runId)?.isSafelyHeld ?? false);
    this.#tools = { ...options, isSafelyHeld };
    this.#outageLog = new DatabaseOutageLog(options.logger);
    this.#unmatched = new UnmatchedRuns(options.logger);
    const { concurrency, levelOf, isCrowding, isPaced, charge } = options;
    const freed = () => this.#loop.claimMore();
    const slots = new Slots({
      concurrency,
      onFreed: freed,
      levelOf,
      isCrowding,
      isPaced,
      charge,
    });
    this.#heartbeat = options.heartbeat ?? new Heartbeat(slots.count);
    const workspaces = new WorkspaceLimit({
      limit: options.workspaceConcurrency,
      members: () => this.#heartbeat.members,
      id: () => this.#heartbeat.id,
    });
    const memory = new MemoryBudget(options.memoryBytes);
    const admission = new Admission({ slots, memory, workspaces });
    this.#admission = admission;
    const claims = new RunClaimer({
      worker: () => this.#heartbeat.id,
      admission,
      levelOf,
      unmatched: this.#unmatched,
    });
    const mayClaim = () => this.#mayClaim();
    const begin = (claimed: ClaimedRun) => this.#beginRun(claimed);
    this.#loop = new ClaimLoop({ claims, mayClaim, begin, onError: this.#outageLog.logFailure });
    this.#permits = new FlowPermits({
      onGranted: () => this.#announceReady(),
      onError: this.#outageLog.logFailure,
    });
    this.#starter = new RunStarter({
      claims,
      permits: this.#permits,
      admission,
      loop: this.#loop,
      worker: () => (mayClaim() && !this.#heartbeat.isStale ? this.#heartbeat.id : null),
      begin: (claimed, isFromHere) => this.#beginRun(claimed, isFromHere),
      announceReady: options.announceReady,
      claimsTimeoutMs: options.claimsTimeoutMs,
    });
    this.#waker = new Waker({
      onWoken: (runs) => {
        for (const run of runs) this.#permits.request(run);
        this.#announceReady();
      },
      onError: this.#outageLog.logFailure,
    });
  }

  /** The name of this worker in the list of workers. */
  get id(): string {
    return this.#heartbeat.id;
  }

  async start(): Promise<void> {
    await this.#heartbeat.register();
    await this.#heartbeat.watch(); // this worker's share of each limit depends on the others
    this.#isRegistered = true;
    await this.#waker.wakeDueRuns();
    this.#stopSchedule = scheduleWork({
      beat: () => this.#beat(),
      watchWorkers: () => this.#watchWorkers(),
      isAlone: () => this.#heartbeat.isAlone,
      cancelRequestedRuns: () => this.#cancelRequestedRuns(),
      pollReadyRuns: () => this.#pollReadyRuns(),
      pollNotifications: () => this.#pollNotifications(),
      sweepRuns: () => this.#sweepRuns(),
      sweepPermits: () => this.#sweepForAll(() => this.#permits.sweep()),
      sweepFamilies: () => this.#sweepForAll(this.#options.sweepFamilies),
      abandonStaleRuns: () => this.#abandonStaleRuns(),
      onError: this.#outageLog.logFailure,
    });
    this.wake();
  }

  /** Claims runs that may have become ready, as many as there is room for. */
  wake(): void {
    this.#loop.wake();
  }

  /** Wakes a run that waits, with its claim where it may go on here at once. Resolves whether it has waited. */
  wakeRun(run: WaitingRun, writes: WakingWrites): Promise<boolean> {
    return this.#starter.wake(run, writes);
  }

  /** Stores a new run, with its claim where the run may begin here at once. Returns the stored run. */
  store(run: RunDocument, storeRun: StoreRun): Promise<RunDocument> {
    return this.#starter.store(run, storeRun);
  }

  /** Offers the permits of a run's flow, because the run asks for one. */
  requestPermit(run: Pick<RunDocument, 'flowId' | 'concurrency'>): void {
    this.#permits.request(run);
  }

  /** Interrupts the run as cancelled, if this worker executes it. */
  cancel(runId: number): void {
    this.#jobs.cancelRun(runId);
  }

  /** Passes a notification to the run, if this worker executes the run or is about to. */
  notifyRun(runId: number): void {
    if (this.#jobs.latestOf(runId)) this.#jobs.notifyRuns(new Set([runId]));
    else this.#notified.set(runId, true);
  }

  /** Passes the end of a child run to its parent run, where this worker executes it. Resolves whether it has taken the end. */
  async passToParent({ live: _, parent, ...child }: RunDocument): Promise<boolean> {
    if (!parent) return false;
    return this.#jobs.latestOf(parent.runId)?.passChildEnd({ ...child, parent }) ?? false;
  }

  /** Stops claiming. Runs under way may end their steps for `STOP_GRACE_MS` and are then interrupted. */
  drain(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#waker.stop();
    this.#jobs.drainAll();
    this.#abort = setTimeout(() => this.#jobs.interruptAll('stopping'), STOP_GRACE_MS);
  }

  /** Gives the runs of this process to the other workers, once their effects are journalled or aborted. */
  async stop(): Promise<void> {
    this.drain();
    const limit = new Promise((resolve) => setTimeout(resolve, STOP_LIMIT_MS).unref());
    const ended = this.#jobs.waitForAll().then(() => this.#permits.waitForOffers());
    await Promise.race([ended, limit]);
    clearTimeout(this.#abort);
    this.#stopSchedule();
    if (this.#isRegistered) await this.#heartbeat.deregister().catch(this.#outageLog.logFailure);
    this.#isRegistered = false;
    this.#options.announceReady();
  }

  #mayClaim(): boolean {
    return this.#isRegistered && !this.#isStopping && this.#admission.hasRoom;
  }

  #beginRun({ run, reservation }: ClaimedRun, isFromHere = false): void {
    const name = this.#heartbeat.id;
    // A run that was claimed under an earlier name of this worker is taken over by the others.
    const isLost = run.worker !== name || !this.#isRegistered;
    if (isLost || this.#jobs.has(run)) {
      reservation.release();
      return;
    }
    const counts = () => this.#heartbeat.id === name && !this.#heartbeat.isStale;
    noteActivity();
    const job = new Job(run, name, counts, reservation);
    if (this.#isStopping) job.drain();
    if (this.#notified.delete(run._id)) job.notify();
    if (run.fence === 1 && !run.isChild) this.#options.announceBegin?.(run._id);
    this.#jobs.add(
      job,
      executeRun(job, this.#tools).then((end) => this.#finishJob(job, end, isFromHere)),
    );
  }

  #finishJob(job: Job, end: ExecutionEnd, isFromHere: boolean): void {
    this.#jobs.remove(job);
    job.close();
    const { doc, ended: run } = job.run;
    if (end.kind !== 'released') this.#permits.release(doc);
    if (end.kind === 'waiting') this.#waker.armTimer(end.wakeAt);
    if (end.kind === 'ended') this.#options.announceEnd({ runId: doc._id, run, isFromHere });
    if (end.kind === 'released')
      this.wake(); // the run may be ready again
    else this.#loop.claimMore();
  }

  async #beat(): Promise<void> {
    if (this.#jobs.runIds.size) noteActivity();
    if (this.#isRegistered && (await this.#heartbeat.beat())) return this.#outageLog.logRecovery();
    this.#abandonRuns();
    if (this.#isStopping) return;
    await this.#heartbeat.deregister();
    await this.#heartbeat.register();
    await this.#watchWorkers();
    this.#isRegistered = true;
    this.wake();
  }

  /**
   * Abandons the runs of a stale lease. A timer of its own calls this function, since a beat may wait for the
   * database.
   */
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
    await this.#unmatched.report();
  }

  /** Passes the notifications whose event was lost to the runs of this worker. */
  async #pollNotifications(): Promise<void> {
    this.#jobs.notifyRuns(await findNotified(this.#jobs.knownWakeups));
  }

  /**
   * Makes runs ready that no listed worker holds, or that this worker holds without executing them. Ends overdue
   * runs.
   */
  async #sweepRuns(): Promise<void> {
    let taken = await this.#heartbeat.takeOverOrphanedRuns();
    taken += await this.#idleRuns.takeOver(this.#heartbeat.id);
    for (const runId of await endOverdueRuns()) this.#options.announceEnd({ runId });
    if (taken) this.#announceReady();
  }

  /** One worker, the first in the list, sweeps for all. */
  async #sweepForAll(sweep: () => Promise<unknown>): Promise<void> {
    const isFirst = this.#heartbeat.members[0]?.id === this.#heartbeat.id;
    if (isFirst && this.#isRegistered && !this.#isStopping) await sweep();
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
