import { buffer } from 'node:stream/consumers';
import { AttachmentModel } from '../../../models/attachment.model.ts';
import { attachments, type StoredAttachment } from './attachments.store.ts';
import { readFile } from './file-store.ts';
import { isImageType, isTextType } from './file-types.ts';

/** Bytes of a text that the model reads; the rest is cut off. */
const MAX_TEXT_BYTES = 64 * 1024;
/** Bytes of an image that the model sees. A larger one is known by name and size only. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** The attachments of a conversation that have these ids. */
export const findAttachments = (
  conversationId: number,
  ids: readonly number[],
): Promise<StoredAttachment[]> =>
  AttachmentModel.find({ _id: { $in: ids }, conversationId }, attachments.projection).lean<
    StoredAttachment[]
  >();

/** The beginning of a text; null for another type. `isCut` says whether more follows. */
export async function readAttachmentText({
  _id,
  type,
  size,
}: StoredAttachment): Promise<{ text: string; isCut: boolean } | null> {
  if (!isTextType(type)) return null;
  const end = Math.min(size, MAX_TEXT_BYTES) - 1;
  const bytes = await buffer(readFile(_id, { start: 0, end }));
  const isCut = size > MAX_TEXT_BYTES;
  // A stream leaves out a last character that is cut.
  return { text: new TextDecoder().decode(bytes, { stream: isCut }), isCut };
}

/** An image that is small enough for a model; null for another type and for a larger image. */
export async function readAttachmentImage({
  _id,
  type,
  size,
}: StoredAttachment): Promise<{ mediaType: string; bytes: Uint8Array } | null> {
  if (!isImageType(type) || size > MAX_IMAGE_BYTES) return null;
  return { mediaType: type, bytes: await buffer(readFile(_id, { start: 0, end: size - 1 })) };
}
