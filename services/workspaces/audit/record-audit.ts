import { type AuditEntry, WORKSPACE_REMOVAL } from '../../../contract/audit.ts';
import { answerOf, BULK_OPTIONS } from '../../../mixins/database/bulk-writes.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { type AuditEntryDocument, AuditEntryModel } from '../../../models/audit-entry.model.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';

type RecordedEntry = AuditEntry & { workspaceId: number | null };

/**
 * Milliseconds after which an entry is late. The last pass of a deleted workspace's erasure comes 60 s after the
 * deletion, so it removes an entry that is not late; a late one is stored only if its workspace exists.
 */
const LATE_MS = 10_000;

/** Stores each entry once, although an outbox may deliver an entry again after a crash. */
export async function recordAudit(entries: readonly RecordedEntry[]): Promise<null> {
  const documents = (await withoutOrphans(entries)).map(documentOf);
  if (!documents.length) return null;
  const { errors } = await answerOf(
    AuditEntryModel.collection.insertMany(documents as object[], BULK_OPTIONS),
  );
  for (const error of errors.values()) if (!isDuplicateKey(error)) throw error;
  return null;
}

/** The entries without those of deleted workspaces. Only late entries cost a query. */
async function withoutOrphans(
  entries: readonly RecordedEntry[],
): Promise<readonly RecordedEntry[]> {
  const lateBefore = Date.now() - LATE_MS;
  const isLate = ({ at, operation }: RecordedEntry): boolean =>
    Date.parse(at) < lateBefore && operation !== WORKSPACE_REMOVAL;
  const ids = entries.filter(isLate).flatMap(({ workspaceId }) => workspaceId ?? []);
  if (!ids.length) return entries;
  const existing = await existingWorkspaces([...new Set(ids)]);
  return entries.filter(
    (entry) => entry.workspaceId === null || existing.has(entry.workspaceId) || !isLate(entry),
  );
}

/** The ids of the workspaces that exist. A tombstone counts as missing. */
async function existingWorkspaces(ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await WorkspaceModel.find({ _id: { $in: ids }, removedAt: null }, { _id: 1 })
    .lean<{ _id: number }[]>()
    .exec();
  return new Set(rows.map(({ _id }) => _id));
}

const documentOf = ({ id, at, ...entry }: RecordedEntry): AuditEntryDocument => ({
  _id: id,
  at: new Date(at),
  ...entry,
});
