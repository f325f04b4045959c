import type { FileAnswer } from '../../../contract/file-answer.ts';
import type { Attachment } from '../contract/attachments.ts';
import type { StoredAttachment } from './attachments.store.ts';
import { isTextType } from './file-types.ts';

export const showAttachment = ({
  _id: id,
  conversationId,
  name,
  type,
  size,
  sha256,
  createdAt,
}: StoredAttachment): Attachment => ({
  id,
  conversationId,
  name,
  type,
  size,
  sha256,
  createdAt: createdAt.toISOString(),
});

/** The attachment as the file that its GET answers. */
export const fileAnswerOf = ({ name, type, size, sha256 }: StoredAttachment): FileAnswer => ({
  name,
  type: isTextType(type) ? `${type}; charset=utf-8` : type,
  size,
  sha256,
});
