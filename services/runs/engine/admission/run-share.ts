import type { RunDocument } from '../../../../models/run.model.ts';
import {
  type Share,
  shareOfWorkspace,
  UNKNOWN_OWNER,
} from '../../../../support/fair-shares/share.ts';

/** Returns the share that a stored run counts for. Runs that an older version stored name no owner. */
export const shareOfRun = ({
  shareOwner,
  workspaceId,
}: Pick<RunDocument, 'shareOwner' | 'workspaceId'>): Share =>
  shareOfWorkspace(shareOwner ?? UNKNOWN_OWNER, workspaceId);
