import { action } from '../../../contract/contract.ts';
import { Id } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';

/** Milliseconds of one call to remove messages. Beyond it the call fails, and a repetition goes on with the rest. */
const REMOVAL_MS = 30_000;

/** The actions by which the deletion of a conversation goes on. */
export const internalActions = {
  removeAttachmentData: action({
    summary: 'Removes the bytes of deleted attachments',
    access: { who: 'internal' },
    body: { entries: entriesOf({ attachmentId: Id, workspaceId: Id }) },
    result: null,
    timeoutMs: REMOVAL_MS,
    idempotent: true,
  }),
  removeParts: action({
    summary: 'Removes what belongs to deleted conversations',
    access: { who: 'internal' },
    body: { entries: entriesOf({ conversationId: Id }) },
    result: null,
    timeoutMs: REMOVAL_MS,
    idempotent: true,
  }),
};
