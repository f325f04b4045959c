/**
 * The pool of sandbox children. It starts a child when a job waits and no child is idle, and ends children that are
 * idle for long. Jobs wait in order of arrival. Files and validations have a queue of their own, which leaves some
 * children to expressions, so that slow files do not delay running flows.
 */
import { SandboxUnavailable } from './errors.ts';
import type { Job } from './protocol.ts';
import { type Ending, type JobBudget, Worker } from './worker.ts';

export interface PoolOptions {
  /** Children that live at once. Beyond it jobs wait. */
  maxChildren: number;
  /** Milliseconds for which an idle child is kept. Then it is killed. */
  idleMs: number;
  /** MiB of the old generation of each child's heap. A child with a full heap aborts. */
  memoryMb: number;
  /** Children that files and validations leave free. One child always remains for files and validations. */
  keptForQuick: number;
}

interface WaitingJob {
  job: Job;
  budget: JobBudget;
  isQuarantined: boolean;
  resolve(ending: Ending): void;
  reject(error: unknown): void;
}

/** The numbers of children and of waiting jobs of a pool at this moment. */
export interface SandboxLoad {
  /** Children that live. */
  children: number;
  /** Children that do a job. */
  busy: number;
  /** Jobs that wait for a child. */
  waiting: number;
}

type Lane = 'quick' | 'slow';

export class Pool {
  readonly #options: PoolOptions;
  readonly #queues: Record<Lane, WaitingJob[]> = { quick: [], slow: [] };
  readonly #busy: Record<Lane, number> = { quick: 0, slow: 0 };
  /** The idle children, the longest idle first. */
  readonly #idle: { worker: Worker; idleTimer: NodeJS.Timeout }[] = [];
  readonly #workers = new Set<Worker>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** A job in quarantine takes the last idle child only when no further child may be started. */
  perform(job: Job, budget: JobBudget, isQuarantined = false): Promise<Ending> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#queues[laneOf(job)].push({ job, budget, isQuarantined, resolve, reject });
      this.#dispatch();
    });
  }

  load(): SandboxLoad {
    return {
      children: this.#workers.size,
      busy: this.#busy.quick + this.#busy.slow,
      waiting: this.#queues.quick.length + this.#queues.slow.length,
    };
  }

  /** Kills all children and rejects all jobs. */
  close(): void {
    this.#closed = true;
    for (const { idleTimer } of this.#idle.splice(0)) clearTimeout(idleTimer);
    for (const worker of this.#workers) worker.kill();
    for (const queue of Object.values(this.#queues)) {
      for (const waiting of queue.splice(0)) waiting.reject(closedError());
    }
  }

  #dispatch(): void {
    for (const lane of ['quick', 'slow'] as const) {
      while (this.#mayTake(lane)) {
        const waiting = this.#queues[lane].shift();
        if (waiting === undefined) break;
        this.#run(lane, waiting);
      }
    }
  }

  #mayTake(lane: Lane): boolean {
    const { maxChildren, keptForQuick } = this.#options;
    if (this.#closed || this.#busy.quick + this.#busy.slow >= maxChildren) return false;
    return lane === 'quick' || this.#busy.slow < Math.max(1, maxChildren - keptForQuick);
  }

  async #run(lane: Lane, waiting: WaitingJob): Promise<void> {
    this.#busy[lane] += 1;
    let worker: Worker | undefined;
    try {
      worker = this.#takeWorker(waiting);
      const ending = await worker.perform(waiting.job, waiting.budget);
      if (this.#closed) waiting.reject(closedError());
      else waiting.resolve(ending);
    } catch (error) {
      waiting.reject(this.#closed ? closedError() : error);
    } finally {
      this.#busy[lane] -= 1;
      if (worker) this.#release(worker);
      this.#dispatch();
    }
  }

  #takeWorker({ job, isQuarantined }: WaitingJob): Worker {
    if (isQuarantined && this.#idle.length === 1 && this.#mayStartChild) return this.#startChild();
    for (let idle = this.#takeIdle(job); idle; idle = this.#takeIdle(job)) {
      clearTimeout(idle.idleTimer);
      if (!idle.worker.hasEnded) {
        idle.worker.ref();
        return idle.worker;
      }
      this.#workers.delete(idle.worker);
    }
    return this.#startChild();
  }

  get #mayStartChild(): boolean {
    return this.#workers.size < this.#options.maxChildren;
  }

  #startChild(): Worker {
    const worker = new Worker(this.#options.memoryMb);
    this.#workers.add(worker);
    return worker;
  }

  /**
   * Takes an idle child that has the tenant's realm, or for a file the tenant's analyses, else the child that is idle
   * for the shortest time, so that the other children reach the end of `idleMs`.
   */
  #takeIdle(job: Job) {
    const serving = this.#idle.findLastIndex(({ worker }) => worker.serves(job));
    return this.#idle.splice(serving, 1)[0];
  }

  /** Keeps a child that may do another job. A child that its job has ended is replaced where no child is idle. */
  #release(worker: Worker): void {
    if (!worker.hasEnded && !worker.isRetired && !this.#closed) {
      this.#keep(worker);
      return;
    }
    this.#workers.delete(worker);
    const isReplaced = worker.hasEnded && !this.#closed && this.#idle.length === 0;
    worker.kill();
    if (isReplaced && this.#mayStartChild) this.#keep(this.#startChild());
  }

  #keep(worker: Worker): void {
    worker.unref();
    const idleTimer = setTimeout(() => this.#dismiss(worker), this.#options.idleMs).unref();
    this.#idle.push({ worker, idleTimer });
  }

  #dismiss(worker: Worker): void {
    const index = this.#idle.findIndex((idle) => idle.worker === worker);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#workers.delete(worker);
    worker.kill();
  }
}

function closedError(): SandboxUnavailable {
  return new SandboxUnavailable('the sandbox is closed');
}

function laneOf(job: Job): Lane {
  return job.kind === 'evaluation' ? 'quick' : 'slow';
}
