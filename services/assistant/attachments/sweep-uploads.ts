import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { AttachmentModel } from '../../../models/attachment.model.ts';
import { AttachmentUploadModel } from '../../../models/attachment-upload.model.ts';
import { removeFiles } from './file-store.ts';
import { recountUsage } from './usage.ts';

/** Milliseconds without a sign of life after which an upload has ended with its process: longer than any upload takes. */
const DEAD_AFTER_MS = 15 * 60_000;
/** Uploads of one look. */
const MAX_UPLOADS = 100;

/** Removes what uploads have left whose processes died. An attachment that was created stays. */
export async function sweepUploads(): Promise<void> {
  if (!databaseClock.isKnown) return;
  const before = new Date(databaseClock.now() - DEAD_AFTER_MS);
  const dead = await AttachmentUploadModel.find({ aliveAt: { $lt: before } }, { workspaceId: 1 })
    .limit(MAX_UPLOADS)
    .lean();
  for (const { _id, workspaceId } of dead) await removeUpload(_id, workspaceId, before);
}

/**
 * Removes the uploads of a deleted workspace with their bytes, in the last pass of its erasure. By then no request can
 * begin one, and one that goes on creates no attachment. False where more are left.
 */
export async function eraseUploads({ targetId, isLastPass }: EraseTarget): Promise<boolean> {
  if (!isLastPass) return true;
  const workspaceId = targetId;
  const uploads = await AttachmentUploadModel.find({ workspaceId }, { _id: 1 })
    .limit(MAX_UPLOADS)
    .lean();
  for (const { _id } of uploads) {
    await AttachmentUploadModel.updateOne({ _id }, { $set: { swept: true } });
    await removeFiles([_id]);
    await AttachmentUploadModel.deleteOne({ _id });
  }
  return uploads.length < MAX_UPLOADS;
}

interface EraseTarget {
  /** The id of the workspace. */
  targetId: number;
  isLastPass: boolean;
}

async function removeUpload(_id: number, workspaceId: number, before: Date): Promise<void> {
  // An upload that shows life after all creates no attachment from here on.
  const { matchedCount } = await AttachmentUploadModel.updateOne(
    { _id, aliveAt: { $lt: before } },
    { $set: { swept: true } },
  );
  if (matchedCount === 0) return;
  if (!(await AttachmentModel.exists({ _id }))) await removeFiles([_id]);
  await AttachmentUploadModel.deleteOne({ _id });
  await recountUsage(workspaceId);
}
