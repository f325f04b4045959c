import { hash } from 'node:crypto';
import type { Actor } from '../../contract/caller.ts';
import { isDuplicateKey } from '../../mixins/database/database.ts';
import { nextId } from '../../mixins/database/ids.ts';
import { type FlowDocument, FlowModel, type UnsettledVersion } from '../../models/flow.model.ts';
import { FlowVersionModel } from '../../models/flow-version.model.ts';

/*
 * A new version comes in two steps. The flow's own document takes it whole, in one update that fails
 * when another version came first: from then on it exists, in its place in the order. Then its row is
 * written and the flow lets go of it: that can be repeated by anybody, and whoever reads versions, or
 * makes the next one, first does so. A crash in between leaves a version, never half of one.
 */

export const hashOf = (content: string): string => hash('sha256', content, 'base64');

/** What the flow's document takes with its version number `sequence`. */
export async function newVersion(
  content: string,
  createdBy: Actor,
  sequence: number,
): Promise<Pick<FlowDocument, 'versionId' | 'sequence' | 'contentHash' | 'unsettled'>> {
  const id = await nextId('flow_versions');
  const unsettled = { id, sequence, content, createdBy, createdAt: new Date() };
  return { versionId: id, sequence, contentHash: hashOf(content), unsettled };
}

/** Writes the row of the version that the flow still holds, if it holds one. */
export async function settle(flowId: number): Promise<void> {
  const flow = await FlowModel.findById(flowId, { unsettled: 1 }).lean();
  if (flow?.unsettled) await settleVersion(flowId, flow.unsettled);
}

export async function settleVersion(flowId: number, version: UnsettledVersion): Promise<void> {
  const { id, ...rest } = version;
  try {
    await FlowVersionModel.insertOne({ _id: id, flowId, ...rest });
  } catch (error) {
    if (!isDuplicateKey(error, '_id_')) throw error; // else another reader was faster
  }
  await FlowModel.updateOne({ _id: flowId, 'unsettled.id': id }, { $set: { unsettled: null } });
}
