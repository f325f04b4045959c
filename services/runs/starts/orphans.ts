import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDocument } from '../../../models/run.model.ts';
import { cancelUnlessEnded } from '../cancel-live-runs.ts';
import type { CancelListeners } from '../cancel-run.ts';
import { FLOW_DELETED } from '../flow-runs.ts';
import { WORKFLOW_DELETED } from '../workflow-executions.ts';

/** Milliseconds for which stored runs are collected, so that one lookup checks all of them. */
const COLLECT_MS = 100;
/** Milliseconds after which a check that has failed is repeated. */
const RETRY_MS = 1_000;

type StoredRun = Pick<RunDocument, '_id' | 'workspaceId' | 'flowId'> & {
  workflowId: number | undefined;
};

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
  readonly #stopping = new AbortController();

  constructor(options: OrphansOptions) {
    this.#options = options;
  }

  /** Checks a run that was stored, a moment later. */
  check({ _id, workspaceId, flowId, execution }: RunDocument): void {
    this.#stored.push({ _id, workspaceId, flowId, workflowId: execution?.workflowId });
    this.#checking ??= this.#checkAll();
  }

  /** Checks the runs that are left, once. */
  async stop(): Promise<void> {
    this.#stopping.abort('stopping');
    await this.#checking;
  }

  async #checkAll(): Promise<void> {
    while (this.#stored.length) {
      await this.#rest(COLLECT_MS);
      const runs = this.#stored;
      this.#stored = [];
      const failed = await this.#checkRuns(runs);
      if (!failed.length || this.#stopping.signal.aborted) continue;
      await this.#rest(RETRY_MS);
      this.#stored = failed.concat(this.#stored);
    }
    this.#checking = null;
  }

  #rest(ms: number): Promise<unknown> {
    return sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  /** Returns the runs whose check has failed, and reports the first failure: the others are mostly of the same outage. */
  async #checkRuns(runs: readonly StoredRun[]): Promise<StoredRun[]> {
    const checks = await Promise.allSettled(runs.map((run) => this.#checkRun(run)));
    const failure = checks.find((check) => check.status === 'rejected');
    if (failure) this.#options.onError(failure.reason);
    return runs.filter((_, at) => checks[at]?.status === 'rejected');
  }

  async #checkRun(run: StoredRun): Promise<void> {
    const { findFlow, findWorkflow, cancelListeners } = this.#options;
    const { flowId, workflowId } = run;
    if (flowId !== undefined && !(await findFlow(flowId)))
      await cancelUnlessEnded(run, FLOW_DELETED, cancelListeners);
    if (workflowId !== undefined && !(await findWorkflow(workflowId)))
      await cancelUnlessEnded(run, WORKFLOW_DELETED, cancelListeners);
  }
}
