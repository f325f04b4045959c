/** The service's side of one child process, which does one job after another. */
import type { ChildProcess } from 'node:child_process';
import { SandboxUnavailable } from './errors.ts';
import {
  ANALYSED_TENANTS,
  type Budget,
  REALMS_PER_CHILD,
  RETIRED_AFTER_CPU_S,
  START_MS,
} from './limits.ts';
import type { Job, RealmSource, Report } from './protocol.ts';
import { realmSource } from './realm-source.ts';
import { RecentTenants } from './recent-tenants.ts';
import { spawnChild } from './spawn.ts';
import { type Watch, watch } from './watch.ts';

export interface JobBudget {
  piece: Budget;
  whole: Budget;
}

/**
 * The end of a job: a `JobResult` as JSON; `killed` when the job used up its budget; `died` when the child ended by
 * itself, as by a full heap; `lost` when the child was ended from outside and the job is not the cause.
 */
export type Ending = (
  | { kind: 'result'; json: string }
  | { kind: 'killed' }
  | { kind: 'died' }
  | { kind: 'lost' }
) & {
  /** CPU time in milliseconds that the child used for the job. */
  cpuMs: number;
};

type Cause = { kind: 'result'; json: string } | { kind: 'killed' | 'died' | 'lost' };

/** The signals that people and systems send. No job ends its child by one of these signals. */
const FOREIGN = new Set<NodeJS.Signals>(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

/** Characters of the child's stderr that are kept for the error of a failed start. The rest is dropped. */
const KEPT_STDERR = 2_000;

export class Worker {
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  /** The tenants whose realms the child has, and those whose analyses of expressions. */
  readonly #realms = new RecentTenants(REALMS_PER_CHILD);
  readonly #analyses = new RecentTenants(ANALYSED_TENANTS);
  #cpuMs = 0;
  #stderr = '';
  #job: { end(ending: Ending): void; watch: Watch; fromCpuMs: number; killed: boolean } | null =
    null;
  #hasEnded = false;

  constructor(memoryMb: number) {
    this.#child = spawnChild(memoryMb);
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(0, KEPT_STDERR);
    });
    this.#ready = this.#start();
    this.#ready.catch(() => this.kill());
  }

  /** Whether the child has ended or is killed and takes no other job. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether the child has used the CPU time of `RETIRED_AFTER_CPU_S` and must be replaced. */
  get isRetired(): boolean {
    return this.#cpuMs > RETIRED_AFTER_CPU_S * 1000;
  }

  /** Whether the child had a realm or analyses of the job's tenant last. A child does not report that it drops them. */
  serves(job: Job): boolean {
    if (job.kind === 'evaluation') return this.#realms.has(job.tenant);
    return job.kind === 'compile' && this.#analyses.has(job.tenant);
  }

  /** Performs a job. Rejects with `SandboxUnavailable` when the child does not start. */
  async perform(job: Job, budget: JobBudget): Promise<Ending> {
    await this.#ready;
    if (this.#hasEnded) return { kind: 'lost', cpuMs: 0 };
    this.#remember(job);
    return new Promise((end) => {
      const watch = this.#watch(budget);
      this.#job = { end, watch, fromCpuMs: this.#cpuMs, killed: false };
      this.#send(job);
    });
  }

  #send(message: Job | RealmSource): void {
    this.#child.send(message, (error) => {
      if (error) this.kill();
    });
  }

  /** Marks the child as idle: an idle child does not keep the service's process alive. */
  unref(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    (this.#child.stderr as { unref?(): void } | null)?.unref?.();
  }

  ref(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  kill(): void {
    this.#hasEnded = true;
    this.#child.kill('SIGKILL');
  }

  #remember(job: Job): void {
    if (job.kind === 'compile') this.#analyses.add(job.tenant);
    if (job.kind !== 'evaluation') return;
    if (this.#realms.isEmpty) this.#send(realmSource());
    this.#realms.add(job.tenant);
  }

  #watch({ piece, whole }: JobBudget): Watch {
    const onExceeded = () => {
      if (this.#job) this.#job.killed = true;
      this.kill();
    };
    return watch({ pid: this.#child.pid ?? 0, cpuMs: this.#cpuMs, piece, whole, onExceeded });
  }

  /** Resolves when the child takes jobs, and when it was ended from outside before: its job is then lost. */
  #start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) =>
        reject(new SandboxUnavailable(`a sandbox child did not start: ${why}`));
      const late = setTimeout(fail, START_MS, `not ready after ${START_MS} ms`);
      this.#child.on('message', (report: Report) => {
        clearTimeout(late);
        this.#receive(report);
        resolve();
      });
      this.#child.on('error', (error) => {
        fail(error.message);
        this.#end('lost');
      });
      this.#child.on('exit', (code, signal) => {
        clearTimeout(late);
        const isLost = signal !== null && FOREIGN.has(signal);
        this.#end(isLost ? 'lost' : 'died');
        if (isLost) resolve();
        else fail(`exit ${code ?? signal} ${this.#stderr}`);
      });
    });
  }

  #receive(report: Report): void {
    this.#cpuMs = report.cpuMs;
    if (report.kind !== 'done') this.#job?.watch.nextPiece(report.cpuMs);
    if (report.kind === 'ready' && this.#job) this.#job.fromCpuMs = report.cpuMs;
    if (report.kind !== 'done') return;
    if (this.#job) this.#job.fromCpuMs = Math.max(this.#job.fromCpuMs, report.fromCpuMs);
    this.#finish({ kind: 'result', json: report.json });
  }

  #end(cause: 'died' | 'lost'): void {
    this.#hasEnded = true;
    this.#finish({ kind: this.#job?.killed ? 'killed' : cause });
  }

  #finish(cause: Cause): void {
    const job = this.#job;
    if (job === null) return;
    this.#job = null;
    job.watch.stop();
    const cpuMs = cause.kind === 'result' ? this.#cpuMs : job.watch.latestCpuMs();
    job.end({ ...cause, cpuMs: Math.max(0, cpuMs - job.fromCpuMs) });
  }
}
