import type { Role } from '../../contract/access-rule.ts';
import { TtlCache } from '../../support/ttl-cache.ts';

type ReadRole = (memberId: number, workspaceId: number) => Promise<Role | null>;

/** The roles of persons, or of service accounts, in workspaces, each cached for at most 1 s. */
export class RoleCache {
  readonly #roles = new TtlCache<{ role: Role | null }>();
  readonly #read: ReadRole;

  constructor(read: ReadRole) {
    this.#read = read;
  }

  async roleOf(memberId: number, workspaceId: number): Promise<Role | null> {
    const ask = async () => ({ role: await this.#read(memberId, workspaceId) });
    return (await this.#roles.get(`${workspaceId}:${memberId}:`, ask)).role;
  }

  /** Forgets the role of a member in a workspace; without a member, the roles of all its members. */
  drop(workspaceId: number, memberId?: number): void {
    this.#roles.drop(memberId === undefined ? `${workspaceId}:` : `${workspaceId}:${memberId}:`);
  }
}
