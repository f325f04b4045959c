import { type Share, shareOfWorkspace } from '../../support/fair-shares/share.ts';

/** The share of a workspace in tests without owners: each workspace has an owner of its own. */
export const ownShareOf = async (workspaceId: number): Promise<Share> =>
  shareOfWorkspace(`person:${workspaceId}`, workspaceId);
