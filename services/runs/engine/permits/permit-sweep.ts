import { RunModel } from '../../../../models/run.model.ts';
import type { ShareOwner } from '../../../../support/fair-shares/share.ts';
import { lruCache } from '../../../../support/lru-cache.ts';

/** The most flows that one sweep offers permits of. The next sweep goes on with further flows. */
const MAX_FLOWS = 16;
/** Owners whose last flow is remembered; a forgotten owner begins with the flow of lowest id. */
const MAX_REMEMBERED_OWNERS = 10_000;

const REQUESTED = { permitRequestedAt: { $exists: true } } as const;

/**
 * Looks for flows with runs that wait for a permit: in rounds of one flow of each owner, so that an owner with ten thousand
 * such flows delays no other owner. While no run waits, a sweep is one read.
 */
export class PermitSweep {
  readonly #grant: (flowId: number) => Promise<void>;
  #lastOwner = '';
  readonly #lastFlows = lruCache<ShareOwner, number>(MAX_REMEMBERED_OWNERS);

  constructor(grant: (flowId: number) => Promise<void>) {
    this.#grant = grant;
  }

  async sweep(): Promise<void> {
    const seen = new Set<number>();
    for (let owners = await this.#nextOwners(); owners.length > 0; ) {
      const remaining: ShareOwner[] = [];
      for (const owner of owners) {
        const flowId = await this.#nextFlowOf(owner);
        if (flowId === undefined || seen.has(flowId)) continue;
        seen.add(flowId);
        await this.#grant(flowId);
        if (seen.size === MAX_FLOWS) return;
        remaining.push(owner);
      }
      owners = remaining;
    }
  }

  /** Lists the next owners with runs that wait, and after the last owner the first ones again. */
  async #nextOwners(): Promise<ShareOwner[]> {
    const last = this.#lastOwner;
    const owners = await findOwners(last, MAX_FLOWS);
    if (last && owners.length < MAX_FLOWS)
      owners.push(...(await findOwners('', MAX_FLOWS - owners.length, last)));
    this.#lastOwner = owners.at(-1) ?? '';
    return owners;
  }

  /** Returns the owner's next flow with runs that wait; the first flow again after the last one. */
  async #nextFlowOf(owner: ShareOwner): Promise<number | undefined> {
    const last = this.#lastFlows.get(owner) ?? 0;
    const next = await findFlow(owner, last);
    const flowId = next === undefined && last ? await findFlow(owner, 0) : next;
    if (flowId !== undefined) this.#lastFlows.set(owner, flowId);
    return flowId;
  }
}

/** Finds up to `max` owners after one owner, up to another one. Each step reads one entry of an index. */
async function findOwners(after: string, max: number, until?: string): Promise<ShareOwner[]> {
  const owners: ShareOwner[] = [];
  for (let last = after; owners.length < max; ) {
    const next = await RunModel.findOne(
      { ...REQUESTED, shareOwner: { $gt: last } },
      { shareOwner: 1 },
    )
      .sort({ shareOwner: 1, flowId: 1 })
      .lean();
    if (!next?.shareOwner || (until !== undefined && next.shareOwner > until)) break;
    last = next.shareOwner;
    owners.push(last);
  }
  return owners;
}

async function findFlow(shareOwner: ShareOwner, after: number): Promise<number | undefined> {
  const next = await RunModel.findOne(
    { ...REQUESTED, shareOwner, flowId: { $gt: after } },
    { flowId: 1 },
  )
    .sort({ flowId: 1, permitRequestedAt: 1 })
    .lean();
  return next?.flowId;
}
