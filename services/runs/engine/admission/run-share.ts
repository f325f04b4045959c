import type { RunDocument } from '../../../../models/run.model.ts';
import {
  type Share,
  shareOfWorkspace,
  UNKNOWN_OWNER,
} from '../../../../support/fair-shares/share.ts';

/** On whose account a stored run goes. One that an older version of the service stored names no owner. */
export const shareOfRun = ({
  shareOwner,
  workspaceId,
}: Pick<RunDocument, 'shareOwner' | 'workspaceId'>): Share =>
  shareOfWorkspace(shareOwner ?? UNKNOWN_OWNER, workspaceId);
