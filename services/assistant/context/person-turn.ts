import type { MessageDocument } from '../../../models/message.model.ts';
import type { StoredAttachment } from '../attachments/attachments.store.ts';
import { isImageType } from '../attachments/file-types.ts';
import {
  findAttachments,
  readAttachmentImage,
  readAttachmentText,
} from '../attachments/read-attachment.ts';
import type { ImageRoom } from './image-memory.ts';
import type { ImagePart, Turn } from './turns.ts';

type PersonMessage = Pick<MessageDocument, 'content' | 'attachmentIds' | 'conversationId'>;

/** Characters of the texts that are attached to one message; the rest is left out, and the model is told. */
const MAX_TEXT_CHARS = 100_000;

/**
 * The turn of a message: its text, then each attachment as JSON, which no text in it can leave. Images are shown as far as
 * there is room; other files by name and size only.
 */
export async function personTurn(
  { content, attachmentIds, conversationId }: PersonMessage,
  room: ImageRoom,
): Promise<Turn> {
  if (attachmentIds.length === 0) return { kind: 'person', text: content };
  const found = await findAttachments(conversationId, attachmentIds);
  const images: ImagePart[] = [];
  const lines = [content];
  let chars = MAX_TEXT_CHARS;
  for (const id of attachmentIds) {
    const attachment = found.find(({ _id }) => _id === id);
    if (!attachment) {
      lines.push(JSON.stringify({ attachment: { id, deleted: true } }));
      continue;
    }
    const image = isImageType(attachment.type) && room.take(attachment.size);
    const shown = image ? await readAttachmentImage(attachment) : null;
    if (shown) images.push(shown);
    const part = shown ? { shown: true } : await textPart(attachment, chars);
    chars -= ('data' in part && part.data?.length) || 0;
    lines.push(JSON.stringify({ attachment: termsOf(attachment), ...part }));
  }
  return { kind: 'person', text: lines.join('\n\n'), images };
}

const termsOf = ({ _id: id, name, type, size }: StoredAttachment) => ({ id, name, type, size });

/** The beginning of a text; nothing of another file. */
async function textPart(attachment: StoredAttachment, chars: number) {
  const read = await readAttachmentText(attachment);
  if (!read) return { notShown: 'Only the name and the size of this file are known to you.' };
  const data = read.text.slice(0, Math.max(0, chars)).toWellFormed();
  const isCut = read.isCut || data.length < read.text.length;
  return isCut ? { data, cut: 'The rest of the text is left out.' } : { data };
}
