import { NotFound, Problem } from '../../../contract/problem.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import { type AttachmentDocument, AttachmentModel } from '../../../models/attachment.model.ts';
import { conversations } from '../conversations/conversations.store.ts';

export type StoredAttachment = Shown<AttachmentDocument, 'userId' | 'quotaSlot'>;

export const noAttachment = (id: number): Problem =>
  new Problem(NotFound, `There is no attachment ${id}.`);

/** The store of attachments. They are created and removed, and never changed. */
export const attachments = changesOf(AttachmentModel, {
  hidden: ['userId', 'quotaSlot'],
  missing: noAttachment,
});

/** The attachment of a conversation that exists; null for none. */
export async function findAttachment(id: number): Promise<StoredAttachment | null> {
  const found = await attachments.find(id);
  return found && (await conversations.find(found.conversationId)) ? found : null;
}
