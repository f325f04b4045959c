import type { OutboxMessage } from '../../mixins/changes/outbox.ts';
import { answerOf, BULK_OPTIONS } from '../../mixins/database/bulk-writes.ts';
import { isDuplicateKey } from '../../mixins/database/database.ts';
import { IssueModel } from '../../models/issue.model.ts';
import { type IssueRaiseDocument, IssueRaiseModel } from '../../models/issue-raise.model.ts';
import type { Params } from '../contracts.ts';
import type { StoredIssue } from './issues.store.ts';

/*
 * An effect of a run raises an issue once, although a worker that dies before its journal is written makes another
 * worker repeat the effect. The change of the issue stores a message in the outbox of the issue in the same write. The
 * message records the raise, and leaves the outbox only after that. So a raise is known at any time: first by the
 * outbox, then by its record. `findRaise` reads them in this order.
 */

/**
 * Days that a raise is recorded. A run lives for 30 days at most, and the record may come later than the end of the
 * run's effect.
 */
const RECORDED_DAYS = 31;
const DAY_MS = 24 * 60 * 60 * 1_000;

const RECORD_RAISES = 'issues.recordRaises';

/** The message that records a raise of the issue. */
export const recordMessage = (
  raiseId: string,
  { _id: issueId, workspaceId, createdAt }: Pick<StoredIssue, '_id' | 'workspaceId' | 'createdAt'>,
): OutboxMessage => ({
  call: RECORD_RAISES,
  params: { workspaceId, raiseId, issueId, issueCreatedAt: createdAt.toISOString() },
});

/** Stores each raise once, although an outbox may deliver an entry again after a crash. */
export async function recordRaises({ entries }: Params<'issues.recordRaises'>): Promise<null> {
  await insertRecords(
    entries.map(({ raiseId, ...entry }) => recordOf(raiseId, entry, RECORDED_DAYS)),
  );
  return null;
}

type RecordedEntry = Omit<Params<'issues.recordRaises'>['entries'][number], 'id' | 'raiseId'>;

/** Makes the record of a raise, which the database may delete after that many days. */
export function recordOf(
  raiseId: string,
  { at, workspaceId, issueId, issueCreatedAt }: RecordedEntry,
  days: number,
): IssueRaiseDocument {
  const raisedAt = new Date(at);
  return {
    _id: raiseId,
    workspaceId,
    issueId,
    issueCreatedAt: new Date(issueCreatedAt),
    raisedAt,
    expiresAt: new Date(raisedAt.getTime() + days * DAY_MS),
  };
}

/** Stores records. A record that is stored already stays as it is. */
export async function insertRecords(documents: readonly IssueRaiseDocument[]): Promise<void> {
  if (!documents.length) return;
  const { errors } = await answerOf(
    IssueRaiseModel.collection.insertMany([...documents] as object[], BULK_OPTIONS),
  );
  for (const error of errors.values()) if (!isDuplicateKey(error)) throw error;
}

/** Finds the record of a raise; null without a record. */
export const findRaise = (raiseId: string): Promise<IssueRaiseDocument | null> =>
  IssueRaiseModel.findById(raiseId).read('primary').lean<IssueRaiseDocument>().exec();

/**
 * Tells whether the raise has changed the issue. A change of the issue that counts only for a revision which was read
 * before this call repeats no raise.
 */
export async function hasRaised(raiseId: string, issueId: number): Promise<boolean> {
  const entry = { call: RECORD_RAISES, 'params.raiseId': raiseId };
  const filter = { _id: issueId, outbox: { $elemMatch: entry } };
  const waiting = await IssueModel.findOne(filter, { _id: 1 }).read('primary').lean().exec();
  return waiting !== null || (await findRaise(raiseId)) !== null;
}
