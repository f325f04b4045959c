/**
 * The key of the owner to whom work is charged, which is the first level of every fair share: `person:7`,
 * `UNVERIFIED`, `TRANSFERRED` or `UNKNOWN_OWNER`.
 */
export type ShareOwner = string;

/** The one owner of all people without a verified address, so that many free accounts get no larger share. */
export const UNVERIFIED: ShareOwner = 'unverified';
/**
 * The one owner of all workspaces whose creator is no OWNER any more and whose work no OWNER has taken over: anybody can be
 * made OWNER without being asked, and must not pay for the work of others.
 */
export const TRANSFERRED: ShareOwner = 'transferred';
/** The one owner of all work for which the lookup of the owner failed. */
export const UNKNOWN_OWNER: ShareOwner = 'unknown';

export const ownerOfPerson = (userId: number, verified: boolean): ShareOwner =>
  verified ? `person:${userId}` : UNVERIFIED;

/** The owner and the tenant to whom work is charged, and the run that the work belongs to. */
export interface Share {
  owner: ShareOwner;
  /** The second level and the tenant of the sandbox: `workspace:7`, or the caller. */
  tenant: string;
  /** The third level, where the runs of a tenant take turns. */
  run?: number;
}

export const tenantOfWorkspace = (workspaceId: number): string => `workspace:${workspaceId}`;

export const shareOfWorkspace = (owner: ShareOwner, workspaceId: number): Share => ({
  owner,
  tenant: tenantOfWorkspace(workspaceId),
});
