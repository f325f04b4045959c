import type { FlowDocument } from '../../models/flow.model.ts';
import type { Flow } from './contract/resources.ts';

/** The fields of a flow without its pending version. */
export type ShownFlow = Omit<FlowDocument, 'pendingVersion' | 'unsettled' | 'outbox'>;

/** The projection of a `ShownFlow`. */
export const SHOWN_FIELDS = { pendingVersion: 0, unsettled: 0, outbox: 0 } as const;

export const showFlow = (flow: ShownFlow): Flow => ({
  id: flow._id,
  workspaceId: flow.workspaceId,
  name: flow.name,
  description: flow.description,
  versionId: flow.versionId,
  createdAt: flow.createdAt.toISOString(),
  updatedAt: flow.updatedAt.toISOString(),
});
