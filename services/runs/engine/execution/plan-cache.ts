import type { Compiled, Plan } from '@workspace-automation/flow-language';
import { LRUCache } from 'lru-cache';
import type { Share } from '../../../../support/fair-shares/share.ts';

export interface VersionKey {
  flowId: number;
  versionId: number;
}

/** The use of a plan: for the start of a run, or for a run under way. */
export type PlanUse = 'start' | 'run';

export interface PlanSources {
  /** Reads the text of a flow's version; null when the version does not exist. */
  contentOf: (flowId: number, versionId: number) => Promise<string | null>;
  compile: (content: string, share: Share, use: PlanUse) => Promise<Compiled>;
}

/** Remembered plans. Beyond this number the least recently used plan is forgotten, and compiled anew when needed. */
const MAX_PLANS = 200;

/** A plan with the flow of its version, so that no request of another flow gets the plan. */
interface KnownPlan {
  flowId: number;
  plan: Plan;
}

/** The plans of compiled versions. A version never changes, so that no plan becomes outdated. */
export class PlanCache {
  readonly #plans = new LRUCache<number, KnownPlan>({ max: MAX_PLANS });
  /** Compilations under way, by use: a start that is refused because too many wait must not fail a run. */
  readonly #compilations = new Map<string, Promise<Plan | null>>();
  readonly #sources: PlanSources;

  constructor(sources: PlanSources) {
    this.#sources = sources;
  }

  /** Whether the plan of a version is known, so that `planOf` neither reads nor compiles. */
  has({ flowId, versionId }: VersionKey): boolean {
    return this.#plans.get(versionId)?.flowId === flowId;
  }

  /**
   * Returns the plan of a version; null when the version is gone or does not compile. A given `content` is not
   * read.
   */
  async planOf(
    version: VersionKey,
    share: Share,
    use: PlanUse,
    content?: string,
  ): Promise<Plan | null> {
    const known = this.#plans.get(version.versionId);
    if (known?.flowId === version.flowId) return known.plan;
    const key = `${use} ${version.flowId} ${version.versionId}`;
    const making =
      this.#compilations.get(key) ??
      this.#compilePlan(version, share, use, content).finally(() => this.#compilations.delete(key));
    this.#compilations.set(key, making);
    return making;
  }

  async #compilePlan(
    { flowId, versionId }: VersionKey,
    share: Share,
    use: PlanUse,
    content?: string,
  ): Promise<Plan | null> {
    const text = content ?? (await this.#sources.contentOf(flowId, versionId));
    if (text === null) return null;
    const { plan } = await this.#sources.compile(text, share, use);
    // A failure is not remembered, since the next compilation may succeed.
    if (plan) this.#plans.set(versionId, { flowId, plan });
    return plan;
  }
}
