import { batchById } from '../../../mixins/database/batch-loader.ts';
import type { Actions } from '../../contracts.ts';
import type { StepsToRun } from './programs.ts';

/** The calls of other services that a lookup makes. */
interface WorkflowCalls {
  ask<N extends 'workflows.workflowsByIds' | 'workflows.published' | 'dev-mode.draftToRun'>(
    name: N,
    params: Actions[N]['params'],
  ): Promise<Actions[N]['result']>;
}

/** Finds workflows and the steps of executions, by calls of the services `workflows` and `dev-mode`. */
export class WorkflowLookup {
  readonly #calls: WorkflowCalls;
  /** Finds a workflow; null when there is none. Finds of one turn of the event loop share one call. */
  readonly find = batchById(
    async (ids: number[]) => (await this.#calls.ask('workflows.workflowsByIds', { ids })).workflows,
    ({ id }) => id,
  );

  constructor(calls: WorkflowCalls) {
    this.#calls = calls;
  }

  /** The published steps. Throws the 404 of the workflow. */
  async published(workflowId: number): Promise<StepsToRun> {
    const { revision, steps } = await this.#calls.ask('workflows.published', { workflowId });
    return { revision, steps };
  }

  /** The steps of the branch. Throws the 404 of the branch, and 409 for a branch with problems. */
  async draft(workflowId: number): Promise<StepsToRun> {
    const { snapshotId, steps } = await this.#calls.ask('dev-mode.draftToRun', { workflowId });
    return { revision: snapshotId, draft: true, steps };
  }
}
