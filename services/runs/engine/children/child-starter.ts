import { flowError, type RunEffect } from '@workspace-automation/flow-language';
import { actorOf } from '../../../../contract/caller.ts';
import { InvalidRequest, isProblem, type Problem } from '../../../../contract/problem.ts';
import { QuotaReached } from '../../../../contract/quota.ts';
import type { ChangeContext } from '../../../../mixins/changes/change-context.ts';
import { isDuplicateKey } from '../../../../mixins/database/database.ts';
import type { RunDocument } from '../../../../models/run.model.ts';
import type { StartQuotas } from '../../quotas/start-quotas.ts';
import { createTreeQuota } from '../../quotas/tree-quota.ts';
import { InputRefused } from '../../runs.problems.ts';
import type { VersionToRun } from '../../starts/flow-lookup.ts';
import {
  type Program,
  prepareRun,
  type RetryFields,
  type StartTools,
} from '../../starts/prepare-run.ts';
import { flowProgram } from '../../starts/programs.ts';
import { shareOfRun } from '../admission/run-share.ts';
import { findRetriedRun } from '../execution/reuse/reused-entries.ts';
import { type ChildRun, findChild, findEarlierChild, listEarlierParents } from './child-runs.ts';

/** Runs above a child run. A task `run` in a run with so many runs above fails with `DEPTH_LIMIT`. */
const MAX_DEPTH = 10;

/** The fields of a run that its child runs take over, or depend on. */
export type ParentRun = Pick<
  RunDocument,
  | '_id'
  | 'workspaceId'
  | 'shareOwner'
  | 'configuration'
  | 'parent'
  | 'traceparent'
  | 'retryOf'
  | 'reused'
>;

export interface ChildStarterOptions {
  findFlowId: (flow: { workspaceId: number; name: string }) => Promise<number | null>;
  findVersion: (flowId: number, params: { versionId?: number }) => Promise<VersionToRun | null>;
  completeVersion: (version: VersionToRun) => Promise<VersionToRun>;
  store: (run: RunDocument) => Promise<RunDocument>;
  quotas: StartQuotas;
  tools: StartTools;
}

/** Starts the flows that tasks `run` name. */
export class ChildStarter {
  readonly #options: ChildStarterOptions;
  /** The earlier parents of the runs that start child runs here: the chain of retries is read once for all of them. */
  readonly #earlierParents = new WeakMap<ParentRun, Promise<number[]>>();
  /** The live runs below one run, by the id of that run. */
  readonly #trees = createTreeQuota();

  constructor(options: ChildStarterOptions) {
    this.#options = options;
  }

  /**
   * Starts the child run of a task, or returns the child run that another worker has started meanwhile. Throws the errors
   * that the flow can catch: `DEPTH_LIMIT`, `FLOW_NOT_FOUND`, `INPUT_REFUSED` and `QUOTA_REACHED`.
   */
  async start(parent: ParentRun, key: string, effect: RunEffect): Promise<ChildRun> {
    const depth = (parent.parent?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH) {
      const detail = `a run may have ${MAX_DEPTH} runs above it at most; flows that run one another in a circle end here`;
      throw flowError('runtime', 'DEPTH_LIMIT', detail);
    }
    const program = await this.#findProgram(parent.workspaceId, effect);
    const earlier = await findEarlierChild(await this.#earlierParentsOf(parent), key);
    const retry = await retryFieldsOf(parent, earlier, effect);
    const { quotas, store, tools } = this.#options;
    const rootId = parent.parent?.rootId ?? parent._id;
    try {
      const run = await prepareRun(
        program,
        {
          input: effect.input,
          kept: parent.configuration,
          parent: { runId: parent._id, key, depth, rootId },
          ...(retry ? { retry } : {}),
          share: shareOfRun(parent),
          traceparent: parent.traceparent,
          change: startOf(parent),
        },
        tools,
      );
      return await this.#trees.take(rootId, 1, () => quotas.store(run, () => store(run)));
    } catch (error) {
      const stored = isDuplicateKey(error) ? await findChild({ runId: parent._id, key }) : null;
      if (stored) return stored;
      throw refusalOf(error) ?? error;
    }
  }

  #earlierParentsOf(parent: ParentRun): Promise<number[]> {
    const known = this.#earlierParents.get(parent);
    if (known) return known;
    const reading = listEarlierParents(parent);
    this.#earlierParents.set(parent, reading);
    reading.catch(() => this.#earlierParents.delete(parent)); // a later child run reads again
    return reading;
  }

  /** Finds the named version of the flow with that name or id. Throws `FLOW_NOT_FOUND`. */
  async #findProgram(
    workspaceId: number,
    { flow, version }: RunEffect,
  ): Promise<Exclude<Program, { refusal: Problem }>> {
    const { findFlowId, findVersion, completeVersion } = this.#options;
    const flowId = /^\d+$/.test(flow)
      ? Number(flow)
      : await findFlowId({ workspaceId, name: flow });
    const versionId = version === 'latest' ? undefined : Number(version);
    const isId = flowId !== null && Number.isSafeInteger(flowId);
    const found = isId ? await findVersion(flowId, versionId ? { versionId } : {}) : null;
    if (found?.flow.workspaceId !== workspaceId) {
      throw flowNotFound(`the workspace has no flow ${JSON.stringify(flow)}`);
    }
    const program = flowProgram(await completeVersion(found), versionId);
    if (!('refusal' in program)) return program;
    throw flowNotFound(
      versionId
        ? `${versionId} is not a version of the flow ${JSON.stringify(found.flow.name)}`
        : program.refusal.message,
    );
  }
}

const flowNotFound = (detail: string) => flowError('validation', 'FLOW_NOT_FOUND', detail, 404);

/** The start of a child run. The audit log has the start of the run above. */
const startOf = ({ _id: runId, workspaceId }: ParentRun): ChangeContext => ({
  actor: actorOf({ kind: 'run', runId, workspaceId }),
  via: 'run',
  requestId: null,
  operation: 'runs.start',
  audit: { none: 'what a run does by itself is in its steps' },
});

/**
 * The fields by which a child run retries the child run that the retried parent run had at the same task. A retry from
 * the failed step goes on within the child run as well, if the child run gets the same input and there is a journal to
 * reuse.
 */
async function retryFieldsOf(
  { reused }: ParentRun,
  earlier: ChildRun | null,
  { input }: RunEffect,
): Promise<RetryFields | null> {
  if (!earlier) return null;
  const { _id, attempt = 1, originId = _id, live } = earlier;
  const isSame = reused !== undefined && !live && earlier.input === input;
  const copiesJournal = isSame && (await findRetriedRun(_id)) !== null;
  return {
    retryOf: _id,
    attempt: attempt + 1,
    originId,
    ...(copiesJournal ? { copiesJournal } : {}),
  };
}

/** Makes the flow's error for a start that is refused; null for any other error. */
function refusalOf(error: unknown) {
  if (isProblem(error, QuotaReached))
    return flowError('runtime', 'QUOTA_REACHED', error.message, 429);
  if (!isProblem(error, InputRefused, InvalidRequest)) return null;
  const { errors = [] } = error.data;
  const faults = errors.map(({ path, message }) => `"${path}" ${message}`);
  return flowError('validation', 'INPUT_REFUSED', faults.join('; ') || error.message);
}
