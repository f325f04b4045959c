import type { Share } from '../../../../support/fair-shares/share.ts';

/** A worker in the list of workers. */
export interface Member {
  id: string;
  /** Runs that the worker executes at once. */
  capacity: number;
}

export interface WorkspaceLimitOptions {
  /** Runs of one workspace that all workers together may hold. */
  limit: number;
  /** All workers in the order of their ids, this one included. */
  members: () => readonly Member[];
  /** This worker's id. */
  id: () => string;
}

/**
 * The limit of runs of one workspace that all workers together may hold. Each worker has a share of the limit and
 * counts its own runs, so that no claim needs a query.
 */
export class WorkspaceLimit {
  readonly #options: WorkspaceLimitOptions;
  /** The number of runs that this process holds, by workspace. */
  readonly #held = new Map<string, number>();

  constructor(options: WorkspaceLimitOptions) {
    this.#options = options;
  }

  mayTake({ tenant }: Share): boolean {
    const { limit, members, id } = this.#options;
    return (
      (this.#held.get(tenant) ?? 0) < shareOfLimit({ limit, members: members(), tenant }, id())
    );
  }

  add({ tenant }: Share, runs: 1 | -1): void {
    const held = (this.#held.get(tenant) ?? 0) + runs;
    if (held > 0) this.#held.set(tenant, held);
    else this.#held.delete(tenant);
  }
}

/**
 * Computes a member's share of a limit, by its capacity. The shares of all members add up to the limit exactly; a
 * limit below the number of members goes to different members for each tenant.
 */
export function shareOfLimit(
  { limit, members, tenant }: { limit: number; members: readonly Member[]; tenant: string },
  id: string,
): number {
  const total = members.reduce((sum, { capacity }) => sum + capacity, 0);
  let before = 0;
  for (const member of rotateMembers(members, tenant)) {
    const behind = before + member.capacity;
    if (member.id === id)
      return Math.floor((behind * limit) / total) - Math.floor((before * limit) / total);
    before = behind;
  }
  return 0;
}

/** Rotates the members by the hash of the tenant, so that the lists of tenants begin with different members. */
function rotateMembers(members: readonly Member[], tenant: string): readonly Member[] {
  if (members.length < 2) return members;
  const first = checksumOf(tenant) % members.length;
  return [...members.slice(first), ...members.slice(0, first)];
}

/** Computes a number from a text, the same in every process. */
function checksumOf(text: string): number {
  let hash = 0;
  for (const char of text) hash = (hash * 31 + char.charCodeAt(0)) % 65_521;
  return hash;
}
