import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { ShownFile } from '../../../mixins/changes/precondition.ts';
import { AttachmentModel } from '../../../models/attachment.model.ts';
import type { Params } from '../../contracts.ts';
import { attachments, type StoredAttachment } from './attachments.store.ts';
import { removeFiles } from './file-store.ts';
import { recountUsage } from './usage.ts';

/** Attachments that are removed at once with their conversation. */
const BATCH_SIZE = 50;

/** Deletes an attachment. The message of its tombstone removes the bytes. */
export async function removeAttachment(
  attachment: StoredAttachment,
  change: ChangeContext,
): Promise<null> {
  const { _id: attachmentId, workspaceId } = attachment;
  const messages = [
    { call: 'assistant.removeAttachmentData', params: { attachmentId, workspaceId } },
  ];
  const show = ({ sha256 }: StoredAttachment) => new ShownFile(sha256);
  await attachments.remove(attachment, change, { show, messages });
  return null;
}

/** Removes the bytes of deleted attachments. A repetition goes on with what is left. */
export async function removeAttachmentData({
  entries,
}: Params<'assistant.removeAttachmentData'>): Promise<null> {
  await removeFiles(entries.map(({ attachmentId }) => attachmentId));
  for (const workspaceId of new Set(entries.map((entry) => entry.workspaceId))) {
    await recountUsage(workspaceId);
  }
  return null;
}

/** Removes the attachments of a deleted conversation. A repetition goes on with what is left. */
export async function removeAttachmentsOf(conversationId: number): Promise<void> {
  for (;;) {
    const found = await AttachmentModel.find({ conversationId }, { workspaceId: 1 })
      .limit(BATCH_SIZE)
      .lean();
    const [first] = found;
    if (!first) return;
    await removeStored(
      found.map(({ _id }) => _id),
      first.workspaceId,
    );
  }
}

/** Removes attachments of a workspace: first their bytes, so that a repetition finds what is left. */
export async function removeStored(ids: readonly number[], workspaceId: number): Promise<void> {
  await removeFiles(ids);
  await AttachmentModel.deleteMany({ _id: { $in: ids } });
  await recountUsage(workspaceId);
}
