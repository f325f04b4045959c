/**
 * The key of the owner who pays for work, which is the first level of every fair share: `person:7`, or one of
 * the two below.
 */
export type ShareOwner = string;

/** All people whose address is not verified count as one owner: accounts cost nothing. */
export const UNVERIFIED: ShareOwner = 'unverified';
/** All work whose owner could not be looked up counts as one owner's. */
export const UNKNOWN_OWNER: ShareOwner = 'unknown';

export const ownerOfPerson = (userId: number, verified: boolean): ShareOwner =>
  verified ? `person:${userId}` : UNVERIFIED;

/** The owner and the tenant whose account a piece of work goes to. */
export interface Share {
  owner: ShareOwner;
  /** The second level, which is also the sandbox's tenant: `workspace:7`, or the caller. */
  tenant: string;
}

export const tenantOfWorkspace = (workspaceId: number): string => `workspace:${workspaceId}`;

export const shareOfWorkspace = (owner: ShareOwner, workspaceId: number): Share => ({
  owner,
  tenant: tenantOfWorkspace(workspaceId),
});
