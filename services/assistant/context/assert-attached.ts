import { invalidField } from '../../../contract/problem.ts';
import { findAttachments } from '../attachments/read-attachment.ts';

/** Throws 400 for an attachment that the conversation does not have, and for one that is named twice. */
export async function assertAttached(
  conversationId: number,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const found = await findAttachments(conversationId, ids);
  const present = new Set(found.map(({ _id }) => _id));
  for (const [at, id] of ids.entries()) {
    const path = `attachmentIds.${at}`;
    if (!present.has(id)) {
      throw invalidField(path, 'unknown_attachment', 'is no attachment of this conversation');
    }
    if (ids.indexOf(id) !== at) throw invalidField(path, 'repeated', 'is attached twice');
  }
}
