import type { Caller } from '../../contract/caller.ts';
import {
  type Share,
  type ShareOwner,
  shareOfWorkspace,
  UNKNOWN_OWNER,
} from '../../support/fair-shares/share.ts';
import { lruCache } from '../../support/lru-cache.ts';
import { TtlCache } from '../../support/ttl-cache.ts';

/** Milliseconds for which an owner is cached; beyond them the owner is looked up again. */
const TTL_MS = 60_000;
/** Milliseconds from a failed lookup to the next lookup of the same key. Until then the owner is `UNKNOWN_OWNER`. */
const RETRY_AFTER_MS = 5_000;
/** Keys of failed lookups in memory. Beyond it the least recently used key is dropped, and looked up again at once. */
const MAX_FAILED = 10_000;

export interface ShareOwnerSources {
  ofWorkspace: (workspaceId: number) => Promise<ShareOwner>;
  ofPerson: (userId: number) => Promise<ShareOwner>;
}

/** A cache of share owners. A failed lookup gives `UNKNOWN_OWNER`, so that no request fails for it. */
export class ShareOwners {
  readonly #known = new TtlCache<{ owner: ShareOwner }>(TTL_MS);
  readonly #sources: ShareOwnerSources;
  readonly #retryAt = lruCache<string, number>(MAX_FAILED);

  constructor(sources: ShareOwnerSources) {
    this.#sources = sources;
  }

  /** The share of work in a workspace, for any caller. */
  async ofWorkspace(workspaceId: number): Promise<Share> {
    const owner = await this.#ownerOf(`workspace:${workspaceId}`, () =>
      this.#sources.ofWorkspace(workspaceId),
    );
    return shareOfWorkspace(owner, workspaceId);
  }

  /** The share of work that belongs to no workspace. A caller of a workspace gets the workspace's share. */
  async ofCaller(caller: Caller): Promise<Share> {
    switch (caller.kind) {
      case 'person':
        return this.#ofPerson(caller.userId);
      case 'service-account':
      case 'api-key':
      case 'run':
        return this.ofWorkspace(caller.workspaceId);
      case 'system':
      case 'operator-console':
      case 'anonymous':
        return { owner: caller.kind, tenant: caller.kind };
    }
  }

  async #ofPerson(userId: number): Promise<Share> {
    const tenant = `person:${userId}`;
    return { owner: await this.#ownerOf(tenant, () => this.#sources.ofPerson(userId)), tenant };
  }

  /** Empties the cache after a verification of a user, because a verified user is an owner of their own. */
  drop(): void {
    this.#known.drop();
  }

  async #ownerOf(key: string, ask: () => Promise<ShareOwner>): Promise<ShareOwner> {
    try {
      return (await this.#known.get(key, () => this.#lookUpUnlessFailed(key, ask))).owner;
    } catch {
      return UNKNOWN_OWNER;
    }
  }

  /** Rejects at once after a failed lookup, so that not every request waits for the timeout of a lookup. */
  async #lookUpUnlessFailed(
    key: string,
    ask: () => Promise<ShareOwner>,
  ): Promise<{ owner: ShareOwner }> {
    if (performance.now() < (this.#retryAt.get(key) ?? 0))
      throw new Error('the last lookup failed just now');
    try {
      return { owner: await ask() };
    } catch (error) {
      this.#retryAt.set(key, performance.now() + RETRY_AFTER_MS);
      throw error;
    }
  }
}
