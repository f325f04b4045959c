import type { AuditEntry } from '../../../contract/audit.ts';
import { answerOf, BULK_OPTIONS } from '../../../mixins/database/bulk-writes.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { type AuditEntryDocument, AuditEntryModel } from '../../../models/audit-entry.model.ts';

type RecordedEntry = AuditEntry & { workspaceId: number | null };

/** Stores each entry once, although an outbox may deliver an entry again after a crash. */
export async function recordAudit(entries: readonly RecordedEntry[]): Promise<null> {
  if (!entries.length) return null;
  const documents = entries.map(documentOf);
  const { errors } = await answerOf(
    AuditEntryModel.collection.insertMany(documents as object[], BULK_OPTIONS),
  );
  for (const error of errors.values()) if (!isDuplicateKey(error)) throw error;
  return null;
}

const documentOf = ({ id, at, ...entry }: RecordedEntry): AuditEntryDocument => ({
  _id: id,
  at: new Date(at),
  ...entry,
});
