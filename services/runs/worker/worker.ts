import type { ShareOwner } from '../../../mixins/share.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { cancelsWanted, endIfIgnored } from './cancels.ts';
import { Claims } from './claim.ts';
import { type Following, type FollowTools, followRun } from './follow-run.ts';
import { Heartbeat } from './heartbeat.ts';
import { Job } from './job.ts';
import { Jobs } from './jobs.ts';
import { MemoryBudget } from './memory.ts';
import { Outages } from './outages.ts';
import { endOverdue } from './overdue.ts';
import { repeat } from './repeat.ts';
import { HELD_PER_SLOT, Slots } from './slots.ts';
import { takeOver } from './take-over.ts';
import { Waker } from './waker.ts';

export interface WorkerOptions extends FollowTools {
  /** Runs worked on at once here, and of one workspace anywhere. */
  concurrency: number;
  workspaceConcurrency: number;
  /** How much CPU time an owner has used lately, from 0; who has used least comes first. */
  levelOf: (owner: ShareOwner) => number;
  /** Whether an owner is over their share while others compute as well. */
  isCrowding: (owner: ShareOwner) => boolean;
  /** Told in this process and all others. */
  announce: (event: 'run.ready' | 'run.ended', run: { runId?: number }) => void;
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
  readonly #claims: Claims;
  readonly #waker: Waker;
  readonly #jobs = new Jobs();
  readonly #slots: Slots;
  readonly #memory: MemoryBudget;
  readonly #outages: Outages;
  #stops: (() => void)[] = [];
  #abort: NodeJS.Timeout | undefined;
  #unaccounted = new Set<number>();
  #registered = false;
  #stopping = false;
  #wanted = false;
  #claiming = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#outages = new Outages(options.logger);
    const { concurrency, levelOf, isCrowding } = options;
    this.#slots = new Slots({ concurrency, freed: () => this.#claimMore(), levelOf, isCrowding });
    this.#heartbeat = options.heartbeat ?? new Heartbeat(this.#slots.count);
    this.#memory = new MemoryBudget(options.memoryBytes);
    this.#claims = new Claims(() => this.#heartbeat.id, {
      perWorkspace: options.workspaceConcurrency,
      capacity: () => this.#heartbeat.capacityOfAll * HELD_PER_SLOT,
      here: [this.#slots, this.#memory],
      levelOf,
    });
    this.#waker = new Waker({ woken: () => this.#announceReady(), failed: this.#outages.failed });
  }

  /** Its name in the list of workers. */
  get id(): string {
    return this.#heartbeat.id;
  }

  async start(): Promise<void> {
    await this.#heartbeat.register();
    this.#registered = true;
    await this.#heartbeat.watch();
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
    this.#claims.noteReady();
    this.#claimMore();
  }

  /** Claims as many runs as there is room for. Without news, only those that are known to be ready. */
  #claimMore(): void {
    this.#wanted = true;
    if (this.#claiming) return;
    this.#claiming = true;
    this.#claimAll()
      .catch(this.#outages.failed)
      .finally(() => {
        this.#claiming = false;
        if (this.#wanted && this.#mayClaim()) this.#claimMore();
      });
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
    this.#options.announce('run.ready', {});
  }

  #mayClaim(): boolean {
    return this.#registered && !this.#stopping && this.#slots.anyFree && this.#memory.anyFree;
  }

  async #claimAll(): Promise<void> {
    while (this.#wanted && this.#mayClaim()) {
      this.#wanted = false;
      while (this.#mayClaim()) {
        const claimed = await this.#claims.next();
        if (!claimed) break;
        this.#begin(claimed);
      }
    }
  }

  #begin(doc: RunDocument): void {
    const name = this.#heartbeat.id;
    // Claimed under a name that is given up by now: the others take such a run over.
    if (doc.worker !== name || !this.#registered) return;
    const counts = () => this.#heartbeat.id === name && !this.#heartbeat.stale;
    const job = new Job(doc, name, counts, this.#slots, this.#memory);
    if (this.#stopping) job.leave();
    this.#jobs.add(
      job,
      followRun(job, this.#options).then((end) => this.#ended(job, end)),
    );
  }

  #ended(job: Job, end: Following): void {
    this.#jobs.remove(job);
    job.end();
    if (end.kind === 'waiting') this.#waker.arm(end.wakeAt);
    if (end.kind === 'ended') {
      this.#options.announce('run.ended', { runId: job.run.doc._id });
      this.#claimMore();
    } else this.wake(); // the run may be ready again
  }

  async #beat(): Promise<void> {
    if (this.#registered && (await this.#heartbeat.beat())) return this.#outages.over();
    this.#drop();
    if (this.#stopping) return;
    await this.#heartbeat.leave();
    await this.#heartbeat.register();
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
    const worker = this.#heartbeat.id;
    const held = await RunModel.find({ worker }, { _id: 1 }).lean();
    const idle = new Set(held.map(({ _id }) => _id)).difference(this.#jobs.runIds);
    // One that was claimed just now is not among the jobs yet: what counts is to be idle twice.
    for (const runId of idle.intersection(this.#unaccounted))
      taken += await takeOver(worker, runId);
    this.#unaccounted = idle;
    for (const runId of await endOverdue()) this.#options.announce('run.ended', { runId });
    if (taken) this.#announceReady();
  }

  async #cancelWanted(): Promise<void> {
    for (const wanted of await cancelsWanted()) {
      if (wanted.worker === this.#heartbeat.id) this.cancel(wanted._id);
      if (await endIfIgnored(wanted)) {
        this.#options.announce('run.ended', { runId: wanted._id });
      }
    }
  }

  #announceReady(): void {
    this.wake();
    this.#options.announce('run.ready', {});
  }
}
