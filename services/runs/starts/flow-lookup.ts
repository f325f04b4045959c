import { Id } from '../../../contract/fields.ts';
import { batchById } from '../../../mixins/database/batch-loader.ts';
import { lruCache } from '../../../support/lru-cache.ts';
import type { Actions } from '../../contracts.ts';
import type { VersionKey } from '../engine/execution/plan-cache.ts';

/** A flow for the start of a run: its summary, and the version that the run executes. */
export type VersionToRun = NonNullable<
  Actions['flows.versionsToRun']['result']['versions'][number]
>;

/** The calls of `flows` that a lookup makes. */
export interface FlowCalls {
  ask<N extends 'flows.flowsByIds' | 'flows.versionsToRun'>(
    name: N,
    params: Actions[N]['params'],
  ): Promise<Actions[N]['result']>;
  plans: { has: (version: VersionKey) => boolean };
}

/** Flows whose newest version is remembered; the file of a forgotten flow is fetched again. */
const MAX_REMEMBERED = 10_000;

interface Start {
  flowId: number;
  versionId: number | undefined;
}

/** Finds flows by calls of the service `flows`. Lookups of one turn of the event loop share one call. */
export class FlowLookup {
  readonly #calls: FlowCalls;
  /** The newest version of each flow at its last lookup. */
  readonly #newest = lruCache<number, number>(MAX_REMEMBERED);
  readonly #findStart = batchById(
    (keys: string[]) => this.#findStarts(keys),
    ({ key }) => key,
  );
  readonly findFlow = batchById(
    async (ids: number[]) => (await this.#calls.ask('flows.flowsByIds', { ids })).flows,
    ({ id }) => id,
  );

  constructor(calls: FlowCalls) {
    this.#calls = calls;
  }

  /**
   * Finds a flow with the version that a start of it runs; the parameter `versionId` may name the version. An
   * invalid `versionId` counts as absent here: validation refuses it afterwards.
   */
  readonly findVersion = (flowId: number, params: { readonly versionId?: unknown }) => {
    const named = Id.safeParse(params.versionId);
    return this.#findStart(keyOf({ flowId, versionId: named.data }));
  };

  async #findStarts(keys: readonly string[]) {
    const starts = keys.map(startOf);
    const { versions } = await this.#calls.ask('flows.versionsToRun', {
      starts: starts.map((start) => ({ ...start, knownVersionId: this.#knownVersionOf(start) })),
    });
    return keys.flatMap((key, at) => {
      const version = versions[at];
      if (!version) return [];
      const { flow, versionId } = version;
      if (versionId && !starts[at]?.versionId) this.#newest.set(flow.id, versionId);
      return [{ ...version, key, workspaceId: flow.workspaceId }];
    });
  }

  /** The version that the start probably runs, if its plan is known here. */
  #knownVersionOf({ flowId, versionId = this.#newest.get(flowId) }: Start): number | undefined {
    return versionId && this.#calls.plans.has({ flowId, versionId }) ? versionId : undefined;
  }
}

/** Starts of the same version have the same key. */
const keyOf = ({ flowId, versionId }: Start): string => `${flowId}/${versionId ?? ''}`;

function startOf(key: string): Start {
  const [flowId, versionId] = key.split('/');
  return { flowId: Number(flowId), versionId: versionId ? Number(versionId) : undefined };
}
