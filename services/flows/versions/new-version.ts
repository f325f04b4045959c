import type { Actor } from '../../../contract/caller.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { type FlowDocument, FlowModel, type PendingVersion } from '../../../models/flow.model.ts';
import { FlowVersionModel } from '../../../models/flow-version.model.ts';
import { hashOf } from '../../../support/hash.ts';
import type { StoredFlow } from '../flows.store.ts';

/*
 * A new version is written in two steps. First, one change of the flow, conditional on the revision that was read,
 * stores the whole version in the flow's document: the version exists, and its position in the order is final.
 * Second, the version's row is written to `flow_versions` and the flow's copy is emptied; this step is idempotent.
 * Each read of versions and each new version begins with the second step of the previous version, so that a crash
 * between the steps loses no version.
 */

/** The hash of a content, which a flow stores for its newest version. */
export const contentHashOf = (content: string): string => hashOf(content, 'base64');

type NewVersion = Pick<FlowDocument, 'versionId' | 'sequence' | 'contentHash'> & {
  pendingVersion: PendingVersion;
};

/** The fields of the flow's document that make `content` its version number `sequence`, with a new id unless given. */
export async function newVersion(
  content: string,
  createdBy: Actor,
  sequence: number,
  reservedId?: number,
): Promise<NewVersion> {
  const id = reservedId ?? (await nextId('flow_versions'));
  const pendingVersion = { id, sequence, content, createdBy, createdAt: new Date() };
  return { versionId: id, sequence, contentHash: contentHashOf(content), pendingVersion };
}

/** Whether an earlier attempt of a request has stored the version with the id that the request has reserved. */
export const isVersionStored = async (reservedId: number | undefined): Promise<boolean> =>
  reservedId !== undefined && (await FlowVersionModel.exists({ _id: reservedId })) !== null;

/** Writes the row of the flow's pending version, if the flow has one. */
export async function flushPendingVersion(
  flow: Pick<StoredFlow, '_id' | 'pendingVersion' | 'unsettled'>,
): Promise<void> {
  if (!flow.pendingVersion && !flow.unsettled) return;
  const pending = await FlowModel.findById(flow._id, { pendingVersion: 1, unsettled: 1 }).lean();
  if (pending?.unsettled) await writeVersionRow(flow._id, pending.unsettled, 'unsettled');
  if (pending?.pendingVersion) await writeVersionRow(flow._id, pending.pendingVersion);
}

/** Writes a version's row and empties the flow's field of the version without a new revision of the flow. */
export async function writeVersionRow(
  flowId: number,
  version: PendingVersion,
  field: 'pendingVersion' | 'unsettled' = 'pendingVersion',
): Promise<void> {
  const { id, ...rest } = version;
  try {
    await FlowVersionModel.insertOne({ _id: id, flowId, ...rest });
  } catch (error) {
    if (!isDuplicateKey(error, '_id_')) throw error; // another call has written the row
  }
  const pending = { _id: flowId, [`${field}.id`]: id };
  const { matchedCount } = await FlowModel.updateOne(pending, { $set: { [field]: null } });
  if (matchedCount === 0) await removeOrphan(flowId, id);
}

/** Removes the row of a version whose flow is deleted: the removal of the flow's versions may have come first. */
async function removeOrphan(flowId: number, versionId: number): Promise<void> {
  const flow = await FlowModel.exists({ _id: flowId, removedAt: null });
  if (!flow) await FlowVersionModel.deleteOne({ _id: versionId });
}
