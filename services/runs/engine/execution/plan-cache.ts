import type { Compiled, Plan } from '@workspace-automation/flow-language';
import { isFlowRun, type RunDocument } from '../../../../models/run.model.ts';
import type { Share } from '../../../../support/fair-shares/share.ts';
import { lruCache } from '../../../../support/lru-cache.ts';

/** A version of a flow. */
export interface VersionKey {
  flowId: number;
  versionId: number;
}
/** The steps of an execution, which are kept with the run. */
export interface StepsKey {
  workflowId: number;
  contentHash: string;
}
/** What a plan is compiled from. */
export type SourceKey = VersionKey | StepsKey;

/** The use of a plan: for the start of a run, or for a run under way. */
export type PlanUse = 'start' | 'run';

export interface PlanSources {
  /** Reads the text of a flow's version; null when the version does not exist. */
  contentOf: (flowId: number, versionId: number) => Promise<string | null>;
  compile: (content: string, share: Share, use: PlanUse) => Promise<Compiled>;
}

/** Remembered plans. Beyond this number the least recently used plan is forgotten, and compiled anew when needed. */
const MAX_PLANS = 200;

/** The plans of compiled versions and steps. No plan becomes outdated: a version never changes, and steps are known by their hash. */
export class PlanCache {
  readonly #plans = lruCache<string, Plan>(MAX_PLANS);
  /** Compilations under way, by use: a start that is refused because too many wait must not fail a run. */
  readonly #compilations = new Map<string, Promise<Plan | null>>();
  readonly #sources: PlanSources;

  constructor(sources: PlanSources) {
    this.#sources = sources;
  }

  /** Whether the plan is known, so that `planOf` neither reads nor compiles. */
  has(source: SourceKey): boolean {
    return this.#plans.has(nameOf(source));
  }

  /**
   * Returns the plan of a source; null when the version is gone or the source does not compile. A given `content` is
   * not read.
   */
  async planOf(
    source: SourceKey,
    share: Share,
    use: PlanUse,
    content?: string,
  ): Promise<Plan | null> {
    const known = this.#plans.get(nameOf(source));
    if (known) return known;
    const key = `${use} ${nameOf(source)}`;
    const making =
      this.#compilations.get(key) ??
      this.#compilePlan(source, share, use, content).finally(() => this.#compilations.delete(key));
    this.#compilations.set(key, making);
    return making;
  }

  async #compilePlan(
    source: SourceKey,
    share: Share,
    use: PlanUse,
    content?: string,
  ): Promise<Plan | null> {
    const text = content ?? (await this.#contentOf(source));
    if (text === null) return null;
    const { plan } = await this.#sources.compile(text, share, use);
    // A failure is not remembered, since the next compilation may succeed.
    if (plan) this.#plans.set(nameOf(source), plan);
    return plan;
  }

  #contentOf(source: SourceKey): Promise<string | null> {
    if ('flowId' in source) return this.#sources.contentOf(source.flowId, source.versionId);
    throw new TypeError('the content of steps is kept with their run');
  }
}

/** What a run executes. */
export function sourceOf(run: Pick<RunDocument, 'flowId' | 'versionId' | 'execution'>): SourceKey {
  if (run.execution) return run.execution;
  if (isFlowRun(run)) return run;
  throw new TypeError('a run is of a flow or of a workflow');
}

/** The key of a source. It names the flow or the workflow, so that no request of another one gets the plan. */
export const nameOf = (source: SourceKey): string =>
  'flowId' in source
    ? `flow ${source.flowId} ${source.versionId}`
    : `workflow ${source.workflowId} ${source.contentHash}`;
