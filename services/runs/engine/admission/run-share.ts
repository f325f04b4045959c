import type { RunDocument } from '../../../../models/run.model.ts';
import { type Share, shareOfWorkspace } from '../../../../support/fair-shares/share.ts';

/** Returns the share that a stored run counts for. */
export const shareOfRun = ({
  shareOwner,
  workspaceId,
}: Pick<RunDocument, 'shareOwner' | 'workspaceId'>): Share =>
  shareOfWorkspace(shareOwner, workspaceId);
