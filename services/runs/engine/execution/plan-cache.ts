import type { Compiled, Plan } from '@workspace-automation/flow-language';
import { LRUCache } from 'lru-cache';
import type { Share } from '../../../../support/fair-shares/share.ts';

export interface VersionKey {
  flowId: number;
  versionId: number;
}

/** Who needs a plan: a request that starts a run, or a run that goes on. */
export type PlanUse = 'start' | 'run';

export interface PlanSources {
  /** The text of a flow's version; null when there is none. */
  contentOf: (flowId: number, versionId: number) => Promise<string | null>;
  compile: (content: string, share: Share, use: PlanUse) => Promise<Compiled>;
}

/** Plans that are remembered; beyond it, the least recently used is forgotten and compiled anew. */
const MAX_PLANS = 200;

/** A plan with the flow of its version: another flow's request never gets it. */
interface KnownPlan {
  flowId: number;
  plan: Plan;
}

/** Compiled versions. A version never changes, so that what is known of it stays true. */
export class PlanCache {
  readonly #plans = new LRUCache<number, KnownPlan>({ max: MAX_PLANS });
  /** Apart by use: a start that is refused because too many wait is no run's failure. */
  readonly #compilations = new Map<string, Promise<Plan | null>>();
  readonly #sources: PlanSources;

  constructor(sources: PlanSources) {
    this.#sources = sources;
  }

  /** Whether the plan of a version is known, so that `planOf` asks nobody. */
  has({ flowId, versionId }: VersionKey): boolean {
    return this.#plans.get(versionId)?.flowId === flowId;
  }

  /** The plan of a version, or null when it is gone or does not compile. `content` saves asking. */
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
    // What was away, or too busy to compile it, may be back next time.
    if (plan) this.#plans.set(versionId, { flowId, plan });
    return plan;
  }
}
