import { z } from 'zod';
import { MEMBERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { Id, IdText, Timestamp } from '../../../contract/fields.ts';
import { FileAnswer } from '../../../contract/file-answer.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { uploadedFile } from '../../../contract/upload.ts';
import {
  AttachmentTypeMismatch,
  AttachmentTypeNotAllowed,
} from '../attachments/attachments.problems.ts';
import { FILE_KINDS } from '../attachments/file-types.ts';
import { ofConversation } from './conversations.ts';

/** Bytes of one file. A larger one is answered 413. */
const MAX_FILE_BYTES = 25 * 1024 * 1024;
/** Milliseconds of an upload: a minute more than a client has to send the file. */
const UPLOAD_MS = 11 * 60_000;

export const Attachment = z
  .strictObject({
    id: Id,
    conversationId: Id,
    name: z.string(),
    type: z
      .string()
      .meta({ description: 'The media type, by the bytes and the ending of the name' }),
    size: z.int().positive(),
    sha256: z.string().regex(/^[\da-f]{64}$/),
    createdAt: Timestamp,
  })
  .meta({ id: 'Attachment' });
export type Attachment = z.output<typeof Attachment>;

const ofAttachment = { resource: 'attachment', parameter: 'id' } as const;
const BYTES = { none: 'a model reads the attachments of a message with the message' } as const;
const ENDINGS = Object.keys(FILE_KINDS)
  .map((ending) => `\`.${ending}\``)
  .join(', ');

/** The operations on the files of conversations. A file exists for the creator of its conversation alone. */
export const attachmentActions = {
  uploadAttachment: action({
    summary: 'Attach a file to a conversation',
    description: `Possible are ${ENDINGS}; the bytes have to be what the ending says. An \`Idempotency-Key\` is ignored.`,
    route: 'POST /agent/conversations/:id/attachments',
    createdIn: '/attachments',
    tool: BYTES,
    audit: { resource: 'attachment' },
    uncontended: true,
    idempotency: { none: 'a file is read once, while it arrives' },
    access: { who: 'member', roles: MEMBERS, in: ofConversation, rules: ['own'] },
    path: { id: IdText },
    upload: { field: 'file', maxBytes: MAX_FILE_BYTES },
    body: uploadedFile,
    result: Attachment,
    status: 201,
    errors: [NotFound, QuotaReached, AttachmentTypeNotAllowed, AttachmentTypeMismatch],
    timeoutMs: UPLOAD_MS,
    example: {
      answer: {
        id: 1,
        conversationId: 1,
        name: 'teeth.csv',
        type: 'text/csv',
        size: 1204,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        createdAt: '2026-01-31T09:30:00.000Z',
      },
    },
  }),
  getAttachment: action({
    summary: 'The bytes of an attachment',
    route: 'GET /attachments/:id',
    tool: BYTES,
    etag: true,
    access: { who: 'member', roles: MEMBERS, in: ofAttachment, rules: ['own'] },
    path: { id: IdText },
    result: FileAnswer,
    format: 'file',
    errors: [NotFound],
    idempotent: true,
  }),
  removeAttachment: action({
    summary: 'Delete an attachment',
    route: 'DELETE /attachments/:id',
    tool: BYTES,
    etag: true,
    audit: { resource: 'attachment' },
    access: { who: 'member', roles: MEMBERS, in: ofAttachment, rules: ['own'] },
    path: { id: IdText },
    result: null,
    status: 204,
    errors: [NotFound],
  }),
};
