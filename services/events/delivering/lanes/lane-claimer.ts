import { FairCapacity } from '../../../../support/fair-shares/fair-capacity.ts';
import type { Share } from '../../../../support/fair-shares/share.ts';
import { TurnOrder } from '../../../../support/fair-shares/turn-order.ts';
import { type FreeLane, findFreeAmong, findFreeLanes, type LanePlace } from './find-lanes.ts';
import { claimLanes, type LaneDocument } from './lane-leases.ts';

/** Lanes that a process holds at once. Further ones wait for another process, or for a lane that is given up. */
const MAX_LANES = 5_000;
/** The part of these lanes that only owners without a lane in this process get. */
const RESERVED_FOR_NEW_OWNERS = 0.05;
/** Free lanes of one read. */
const PAGE_SIZE = 500;
/** Reads of one claim. The next claim goes on behind them, so that lanes which may not be claimed hide no others. */
const MAX_PAGES = 4;
/** Woken lanes in memory. Further ones are found as all that are due. */
const MAX_WOKEN = 2_000;

export interface ClaimerOptions {
  holder: string;
  shareOf: (workspaceId: number) => Promise<Share>;
  /** Lanes of the process at once; 5,000 unless given. */
  maxLanes?: number;
}

/** The lanes that were claimed. */
export interface Claim {
  claimed: LaneDocument[];
  /** The monotonic time before the leases began. */
  sentAt: number;
  /** Whether free lanes are left that were not read. */
  hasMore: boolean;
}

/**
 * Claims lanes for a process: owners take turns, then their workspaces. The more lanes an owner has in the process, the more
 * must stay free for other owners.
 */
export class LaneClaimer {
  readonly #options: ClaimerOptions;
  readonly #capacity: FairCapacity;
  readonly #reserved: number;
  /** The shares of the lanes in the process, by id. */
  readonly #shares = new Map<number, Share>();
  readonly #woken = new Set<number>();
  /** The last lane of the claim before; null at the beginning. */
  #after: LanePlace | null = null;

  constructor(options: ClaimerOptions) {
    const { maxLanes = MAX_LANES } = options;
    this.#options = options;
    this.#capacity = new FairCapacity(maxLanes);
    this.#reserved = Math.ceil(maxLanes * RESERVED_FOR_NEW_OWNERS);
  }

  /** Lets the next claim look for a lane whose deliveries have become due, wherever the claims have got to. */
  addWoken(id: number): void {
    if (this.#woken.size < MAX_WOKEN) this.#woken.add(id);
  }

  /** Claims free lanes, as many as the shares of their owners allow. */
  async claim(now: () => number): Promise<Claim> {
    const woken = [...this.#woken];
    this.#woken.clear();
    const ofWoken = woken.length ? await findFreeAmong(woken) : [];
    const { due, hasMore } = await this.#readDue(new Date(now()));
    const planned = await this.#plan([...ofWoken, ...due]);
    const sentAt = performance.now();
    let claimed: LaneDocument[] = [];
    try {
      claimed = await claimLanes(planned, this.#options.holder, now());
    } finally {
      const taken = new Set(claimed.map(({ _id }) => _id));
      for (const id of planned) if (!taken.has(id)) this.giveUp(id);
    }
    return { claimed, sentAt, hasMore };
  }

  /** Gives the place of a lane back that the process has no longer. */
  giveUp(id: number): void {
    const share = this.#shares.get(id);
    if (share) this.#capacity.add(share, -1);
    this.#shares.delete(id);
  }

  async #readDue(now: Date): Promise<{ due: FreeLane[]; hasMore: boolean }> {
    const due: FreeLane[] = [];
    for (let page = 0; page < MAX_PAGES; page++) {
      const found = await findFreeLanes(now, { after: this.#after, limit: PAGE_SIZE });
      due.push(...found);
      this.#after = found.length < PAGE_SIZE ? null : (found.at(-1) ?? null);
      if (!this.#after) return { due, hasMore: false };
    }
    return { due, hasMore: true };
  }

  /** Chooses lanes in the turns of their owners, and takes their places. */
  async #plan(lanes: readonly FreeLane[]): Promise<number[]> {
    const turns = new TurnOrder<{ id: number; share: Share }>();
    const shares = await this.#sharesOf(lanes);
    for (const [id, share] of shares) if (!this.#shares.has(id)) turns.add(share, { id, share });
    const planned: number[] = [];
    for (;;) {
      const next = turns.take({ mayStart: this.#mayAdd });
      if (!next) return planned;
      this.#capacity.add(next.share, 1);
      this.#shares.set(next.id, next.share);
      planned.push(next.id);
    }
  }

  #mayAdd = (share: Share): boolean => {
    const reserved = this.#capacity.isHolder(share.owner) ? this.#reserved : 0;
    return this.#capacity.free > reserved && this.#capacity.mayAdd(share, 1);
  };

  async #sharesOf(lanes: readonly FreeLane[]): Promise<Map<number, Share>> {
    const workspaceIds = [...new Set(lanes.map(({ workspaceId }) => workspaceId))];
    const asked = workspaceIds.map(async (id) => [id, await this.#options.shareOf(id)] as const);
    const byWorkspace = new Map(await Promise.all(asked));
    return new Map(
      lanes.flatMap(({ _id, workspaceId }) => {
        const share = byWorkspace.get(workspaceId);
        return share ? [[_id, share] as const] : [];
      }),
    );
  }
}
