import type { Readable } from 'node:stream';
import { invalidField, Problem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import type { Attachment } from '../contract/attachments.ts';
import {
  conversations,
  noConversation,
  type StoredConversation,
} from '../conversations/conversations.store.ts';
import { assertSlotFree, createInConversation } from './attachment-slots.ts';
import type { StoredAttachment } from './attachments.store.ts';
import { assertKind, expectedKind, HEAD_BYTES } from './determine-type.ts';
import { fileNameOf } from './file-name.ts';
import { writeFile } from './file-store.ts';
import type { FileKind } from './file-types.ts';
import { removeStored } from './remove-attachment.ts';
import { showAttachment } from './show-attachment.ts';
import { UploadRecord } from './upload-record.ts';

/** A file as it comes. */
interface IncomingFile {
  /** The name that the client gives. */
  fileName: string;
  stream: Readable;
}

/**
 * Stores a file while it arrives: first its bytes, then the document by which it exists. Of a file that is refused nothing
 * is left; what is left by a crash, or by an outage of the database, is swept.
 */
export async function uploadAttachment(
  conversation: StoredConversation,
  { fileName, stream }: IncomingFile,
  change: ChangeContext,
): Promise<Attachment> {
  const name = fileNameOf(fileName);
  const kind = expectedKind(name);
  const { _id: conversationId, workspaceId } = conversation;
  await assertSlotFree(conversationId);
  const upload = await UploadRecord.begin(await nextId('attachments'), workspaceId);
  const written = await writeBytes(upload, { name, kind, stream });
  await upload.renew();
  const now = new Date();
  const { actor } = change;
  const wanted = {
    _id: upload.id,
    workspaceId,
    conversationId,
    createdBy: conversation.createdBy,
    userId: actor.type === 'person' ? actor.id : null,
    name,
    type: kind.type,
    ...written,
    createdAt: now,
    updatedAt: now,
  };
  const created = await orUndo(upload, () => createInConversation(wanted, change));
  await upload.complete(written.size);
  await assertStillThere(created);
  return showAttachment(created);
}

function writeBytes(
  upload: UploadRecord,
  { name, kind, stream }: { name: string; kind: FileKind; stream: Readable },
): Promise<{ size: number; sha256: string }> {
  return orUndo(upload, async () => {
    const parts = checkedParts(stream, (head) => assertKind(name, kind, head));
    return writeFile(upload.id, name, parts, (size) => upload.reserve(size));
  });
}

/** Hands the parts of a file on once the first bytes are checked. Throws 400 for a file without bytes. */
async function* checkedParts(
  stream: Readable,
  check: (head: Buffer) => Promise<void>,
): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const part of stream as AsyncIterable<Buffer>) {
    if (!head) {
      yield part;
      continue;
    }
    head = Buffer.concat([head, part]);
    if (head.length < HEAD_BYTES) continue;
    await check(head.subarray(0, HEAD_BYTES));
    yield head;
    head = undefined;
  }
  if (!head) return;
  if (head.length === 0) throw invalidField('file', 'too_small', 'must have at least 1 byte');
  await check(head);
  yield head;
}

/** Removes the bytes of an upload that is refused. After any other failure they are left to the sweep. */
async function orUndo<T>(upload: UploadRecord, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) await upload.undo();
    throw error;
  }
}

/** Removes an attachment whose conversation was deleted meanwhile. */
async function assertStillThere(attachment: StoredAttachment): Promise<void> {
  if (await conversations.find(attachment.conversationId)) return;
  await removeStored([attachment._id], attachment.workspaceId);
  throw noConversation(attachment.conversationId);
}
