import { QuotaReached, quotaProblem } from '../../../contract/quota.ts';
import { environment } from '../../../environment/environment.ts';
import { AttachmentModel } from '../../../models/attachment.model.ts';
import { AttachmentUploadModel } from '../../../models/attachment-upload.model.ts';
import { AttachmentUsageModel } from '../../../models/attachment-usage.model.ts';

/** Bytes that an attachment takes of the quota beside its own, so that small files have an end as well. */
const OVERHEAD_BYTES = 1024;
/** Times that a recount is tried while uploads change the usage. */
const MAX_RECOUNTS = 5;

/** The bytes that an attachment takes of its workspace's quota. */
export const chargeOf = (size: number): number => size + OVERHEAD_BYTES;

/**
 * Adds bytes that the record of an upload already has to the usage of its workspace, in one conditional update: of uploads
 * at once no more succeed than there is room for. A usage that a crash has left too high is counted again before it
 * refuses. Throws 409 `QUOTA_REACHED`.
 */
export async function takeBytes(workspaceId: number, bytes: number): Promise<void> {
  const { ATTACHMENT_BYTES_PER_WORKSPACE: limit } = environment;
  if (await addBytes(workspaceId, bytes, limit)) return;
  const counted = await recountUsage(workspaceId); // with these bytes, which the record has
  if (limit === null || (counted !== null && counted <= limit)) return;
  const detail = `The attachments of a workspace may take ${limit} bytes at most.`;
  throw quotaProblem(QuotaReached, 'ATTACHMENT_BYTES_PER_WORKSPACE', limit, detail);
}

async function addBytes(_id: number, bytes: number, limit: number | null): Promise<boolean> {
  await AttachmentUsageModel.updateOne(
    { _id },
    { $setOnInsert: { bytes: 0, revision: 0 } },
    { upsert: true },
  );
  const room = limit === null ? {} : { bytes: { $lte: limit - bytes } };
  const { matchedCount } = await AttachmentUsageModel.updateOne(
    { _id, ...room },
    { $inc: { bytes, revision: 1 } },
  );
  return matchedCount > 0;
}

/** Gives back bytes that were taken. */
export async function giveBytesBack(workspaceId: number, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await AttachmentUsageModel.updateOne(
    { _id: workspaceId },
    { $inc: { bytes: -bytes, revision: 1 } },
  );
}

/**
 * Counts the usage of a workspace again, by its attachments and its uploads under way. Null where nothing was ever
 * attached, and where other uploads have changed the usage each time.
 */
export async function recountUsage(workspaceId: number): Promise<number | null> {
  for (let tries = 0; tries < MAX_RECOUNTS; tries++) {
    const usage = await AttachmentUsageModel.findById(workspaceId).lean();
    if (!usage) return null;
    const bytes = (await attachedBytes(workspaceId)) + (await reservedBytes(workspaceId));
    const { matchedCount } = await AttachmentUsageModel.updateOne(
      { _id: workspaceId, revision: usage.revision },
      { $set: { bytes }, $inc: { revision: 1 } },
    );
    if (matchedCount > 0) return bytes;
  }
  return null;
}

async function attachedBytes(workspaceId: number): Promise<number> {
  const [sum] = await AttachmentModel.aggregate<{ bytes: number; count: number }>([
    { $match: { workspaceId } },
    { $group: { _id: null, bytes: { $sum: '$size' }, count: { $sum: 1 } } },
  ]);
  return sum ? sum.bytes + sum.count * OVERHEAD_BYTES : 0;
}

async function reservedBytes(workspaceId: number): Promise<number> {
  const uploads = await AttachmentUploadModel.find({ workspaceId }, { reserved: 1 }).lean();
  return uploads.reduce((bytes, { reserved }) => bytes + reserved, 0);
}
