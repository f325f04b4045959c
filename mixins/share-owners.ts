import { LRUCache } from 'lru-cache';
import type { Caller } from '../contract/caller.ts';
import {
  type Share,
  type ShareOwner,
  shareOfWorkspace,
  UNKNOWN_OWNER,
} from '../support/fair-shares/share.ts';
import { TtlCache } from '../support/ttl-cache.ts';

/** Milliseconds for which an owner is remembered: a new owner pays a minute later at the latest. */
const TTL_MS = 60_000;
/** Milliseconds after a failed lookup before the next of the same key; until then its owner is unknown. */
const RETRY_AFTER_MS = 5_000;
/** Keys of failed lookups that are remembered; a forgotten one is looked up again at once. */
const MAX_FAILED = 10_000;

export interface ShareOwnerSources {
  ofWorkspace: (workspaceId: number) => Promise<ShareOwner>;
  ofPerson: (userId: number) => Promise<ShareOwner>;
}

/** Who pays, as this process knows it. A lookup that fails makes `UNKNOWN_OWNER`: it refuses nothing. */
export class ShareOwners {
  readonly #known = new TtlCache<{ owner: ShareOwner }>(TTL_MS);
  readonly #sources: ShareOwnerSources;
  readonly #retryAt = new LRUCache<string, number>({ max: MAX_FAILED });

  constructor(sources: ShareOwnerSources) {
    this.#sources = sources;
  }

  /** Of work in a workspace, whoever asks for it. */
  async ofWorkspace(workspaceId: number): Promise<Share> {
    const owner = await this.#ownerOf(`workspace:${workspaceId}`, () =>
      this.#sources.ofWorkspace(workspaceId),
    );
    return shareOfWorkspace(owner, workspaceId);
  }

  /** Of work that belongs to no workspace. */
  async ofCaller(caller: Caller): Promise<Share> {
    if (caller.kind === 'api-key' || caller.kind === 'run') {
      return this.ofWorkspace(caller.workspaceId);
    }
    if (caller.kind !== 'person') return { owner: caller.kind, tenant: caller.kind };
    const tenant = `person:${caller.userId}`;
    return {
      owner: await this.#ownerOf(tenant, () => this.#sources.ofPerson(caller.userId)),
      tenant,
    };
  }

  /** Somebody is verified now: asking again is cheap. */
  drop(): void {
    this.#known.drop();
  }

  async #ownerOf(key: string, ask: () => Promise<ShareOwner>): Promise<ShareOwner> {
    try {
      return (await this.#known.get(key, () => this.#askUnlessFailed(key, ask))).owner;
    } catch {
      return UNKNOWN_OWNER;
    }
  }

  /** A service that is away would hold up each request for as long as the lookup may take. */
  async #askUnlessFailed(
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
