import type { FlowDocument } from '../../models/flow.model.ts';
import type { Flow } from './contract/resources.ts';

type PendingField = 'pendingVersion' | 'unsettled';

/** The fields of a flow that its pending version is not part of. */
export type ShownFlow = Omit<FlowDocument, PendingField>;
/** A flow with no more of its pending version than its id. */
export type StoredFlow = ShownFlow & { [K in PendingField]?: { id: number } | null };

/** The projection of a `StoredFlow`: a file is up to 256 KiB. */
export const SHOWN = {
  'pendingVersion.content': 0,
  'pendingVersion.createdBy': 0,
  'unsettled.content': 0,
  'unsettled.createdBy': 0,
} as const;
/** The projection of a `ShownFlow`. */
export const WITHOUT_PENDING_VERSION = { pendingVersion: 0, unsettled: 0 } as const;

export const showFlow = (flow: ShownFlow): Flow => ({
  id: flow._id,
  workspaceId: flow.workspaceId,
  name: flow.name,
  description: flow.description,
  versionId: flow.versionId,
  createdAt: flow.createdAt.toISOString(),
  updatedAt: flow.updatedAt.toISOString(),
});
