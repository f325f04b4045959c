import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDocument } from '../../../models/run.model.ts';
import type { CancelListeners } from '../cancel-run.ts';
import { cancelOrphanOfFlow } from '../flow-runs.ts';
import { cancelOrphanOfWorkflow } from '../workflow-executions.ts';

/** Milliseconds for which stored runs are collected, so that one lookup checks all of them. */
const COLLECT_MS = 100;
/** Milliseconds after which a check that has failed is repeated. */
const RETRY_MS = 1_000;

type StoredRun = Pick<RunDocument, '_id' | 'workspaceId' | 'flowId' | 'execution'>;

export interface OrphansOptions {
  /** Finds a flow by its id; null for a flow that is deleted. */
  findFlow: (id: number) => Promise<object | null>;
  findWorkflow: (id: number) => Promise<object | null>;
  cancelListeners: CancelListeners;
  onError: (error: unknown) => void;
}

/**
 * Cancels runs whose flow or workflow was deleted while they were started. The deletion cancels the runs that are stored
 * by then; a later run is found here.
 */
export class Orphans {
  readonly #options: OrphansOptions;
  #stored: StoredRun[] = [];
  #checking: Promise<void> | null = null;
  #isStopping = false;

  constructor(options: OrphansOptions) {
    this.#options = options;
  }

  /** Checks a run that was stored, a moment later. */
  check({ _id, workspaceId, flowId, execution }: StoredRun): void {
    this.#stored.push({ _id, workspaceId, flowId, execution });
    this.#checkSoon(COLLECT_MS);
  }

  /** Resolves once the runs that were stored before are checked. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#checking;
  }

  #checkSoon(ms: number): void {
    this.#checking ??= sleep(ms)
      .then(() => this.#checkStored())
      .finally(() => {
        this.#checking = null;
        if (this.#stored.length && !this.#isStopping) this.#checkSoon(RETRY_MS);
      });
  }

  async #checkStored(): Promise<void> {
    const runs = this.#stored.splice(0);
    const checks = await Promise.allSettled(runs.map((run) => this.#checkRun(run)));
    for (const [at, check] of checks.entries()) {
      if (check.status === 'fulfilled') continue;
      this.#options.onError(check.reason);
      this.#stored.push(...runs.slice(at, at + 1));
    }
  }

  async #checkRun(run: StoredRun): Promise<void> {
    const { findFlow, findWorkflow, cancelListeners } = this.#options;
    const { flowId, execution } = run;
    if (flowId !== undefined && !(await findFlow(flowId)))
      await cancelOrphanOfFlow(run, cancelListeners);
    if (execution && !(await findWorkflow(execution.workflowId)))
      await cancelOrphanOfWorkflow(run, cancelListeners);
  }
}
