import type { FlowDocument } from '../../models/flow.model.ts';
import type { Flow } from './contract/resources.ts';

/** A flow without what an unsettled version holds; only its id, to know that there is one. */
export type StoredFlow = Omit<FlowDocument, 'unsettled'> & { unsettled: { id: number } | null };
/** The fields that are read: a file is up to 256 KiB. */
export const SHOWN = { 'unsettled.content': 0, 'unsettled.createdBy': 0 } as const;

export const showFlow = (flow: Omit<FlowDocument, 'unsettled'>): Flow => ({
  id: flow._id,
  workspaceId: flow.workspaceId,
  name: flow.name,
  description: flow.description,
  versionId: flow.versionId,
  createdAt: flow.createdAt.toISOString(),
  updatedAt: flow.updatedAt.toISOString(),
});
