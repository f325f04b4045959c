import { invalidField } from '../../../contract/problem.ts';

/** Refuses attachments that the conversation does not have. */
export function assertAttached(attachmentIds: readonly number[]): void {
  if (attachmentIds.length === 0) return;
  throw invalidField(
    'attachmentIds.0',
    'unknown_attachment',
    'is no attachment of this conversation',
  );
}
