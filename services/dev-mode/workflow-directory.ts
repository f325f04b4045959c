import type { ServiceBroker } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { isProblem, NotFound } from '../../contract/problem.ts';
import { batchById } from '../../mixins/database/batch-loader.ts';
import type { Actions } from '../contracts.ts';
import type { Published } from './branch/branch-state.ts';

const AS_DEV_MODE = asSystem('dev-mode');

/** The workflows of branches, which the service `workflows` stores. */
export class WorkflowDirectory {
  readonly #broker: ServiceBroker;
  /** Finds a workflow; null when there is none. Finds of one turn of the event loop share one call. */
  readonly find = batchById(
    async (ids: number[]) => (await this.#ask('workflows.workflowsByIds', { ids })).workflows,
    ({ id }) => id,
  );

  constructor(broker: ServiceBroker) {
    this.#broker = broker;
  }

  /** A workflow with its published steps. Throws its 404. */
  published(workflowId: number): Promise<Published> {
    return this.#ask('workflows.published', { workflowId });
  }

  /** The same; null for a workflow that has gone. */
  async findPublished(workflowId: number): Promise<Published | null> {
    try {
      return await this.published(workflowId);
    } catch (error) {
      if (isProblem(error, NotFound)) return null;
      throw error;
    }
  }

  /** Publishes steps in place of a revision. False when another revision is published. */
  async publish(params: Actions['workflows.publish']['params']): Promise<boolean> {
    return (await this.#ask('workflows.publish', params)).published;
  }

  #ask<N extends 'workflows.workflowsByIds' | 'workflows.published' | 'workflows.publish'>(
    name: N,
    params: Actions[N]['params'],
  ): Promise<Actions[N]['result']> {
    return this.#broker.call<Actions[N]['result'], Actions[N]['params']>(name, params, AS_DEV_MODE);
  }
}
