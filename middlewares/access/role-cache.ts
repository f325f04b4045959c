import type { Role } from '../../contract/access-rule.ts';
import { TtlCache } from '../../support/ttl-cache.ts';

type ReadRole = (userId: number, workspaceId: number) => Promise<Role | null>;

/** The roles of persons in workspaces, each cached for at most 1 s. */
export class RoleCache {
  readonly #roles = new TtlCache<{ role: Role | null }>();
  readonly #read: ReadRole;

  constructor(read: ReadRole) {
    this.#read = read;
  }

  async roleOf(userId: number, workspaceId: number): Promise<Role | null> {
    const ask = async () => ({ role: await this.#read(userId, workspaceId) });
    return (await this.#roles.get(`${workspaceId}:${userId}:`, ask)).role;
  }

  /** Forgets the role of a user in a workspace; without a user, the roles of all its members. */
  drop(workspaceId: number, userId?: number): void {
    this.#roles.drop(userId === undefined ? `${workspaceId}:` : `${workspaceId}:${userId}:`);
  }
}
