import type { OutboxMessage } from '../../../mixins/changes/outbox.ts';
import { IssueModel } from '../../../models/issue.model.ts';
import { IssueRaiseModel } from '../../../models/issue-raise.model.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Params } from '../../contracts.ts';
import type { StoredIssue } from '../issues.store.ts';
import { insertRecords, recordOf } from '../raises.ts';

/*
 * An issue counts the failure of a run once. The outbox of the run may deliver the failure again, until the entry has
 * left the outbox. As for other raises (`raises.ts`), the change that counts failures stores the ids of their runs in
 * the outbox of the issue, and the message becomes records. A failure is looked for in the outbox first.
 */

/**
 * Days that a counted failure is recorded. An entry that was delivered is delivered again within minutes: a system that
 * stands still for longer between the two may count a failure twice.
 */
const RECORDED_DAYS = 7;

const RECORD_FAILURES = 'issues.recordFailures';

/** The message that records failures which the issue has counted. */
export const failuresMessage = (
  runIds: readonly number[],
  { _id: issueId, workspaceId, createdAt }: Pick<StoredIssue, '_id' | 'workspaceId' | 'createdAt'>,
): OutboxMessage => ({
  call: RECORD_FAILURES,
  params: { workspaceId, issueId, issueCreatedAt: createdAt.toISOString(), runIds },
});

/** Stores one record for each failure, although an outbox may deliver an entry again after a crash. */
export async function recordFailures({ entries }: Params<'issues.recordFailures'>): Promise<null> {
  await insertRecords(
    entries.flatMap(({ runIds, ...entry }) =>
      runIds.map((runId) => recordOf(raiseIdOf(runId), entry, RECORDED_DAYS)),
    ),
  );
  return null;
}

/** Returns the runs among these whose failure is recorded, for any issue. */
export async function findRecordedFailures(runIds: readonly number[]): Promise<Set<number>> {
  const byRaiseId = new Map(runIds.map((runId) => [raiseIdOf(runId), runId]));
  const recorded = await IssueRaiseModel.find({ _id: { $in: [...byRaiseId.keys()] } }, { _id: 1 })
    .read('primary')
    .lean<{ _id: string }[]>()
    .exec();
  return new Set(recorded.flatMap(({ _id }) => byRaiseId.get(_id) ?? []));
}

/**
 * Returns the runs among these whose failure is counted. A change of the issue that counts only for a revision which
 * was read before this call counts no failure twice.
 */
export async function findCountedFailures(
  runIds: readonly number[],
  issueId: number,
): Promise<Set<number>> {
  const waiting = await findWaitingFailures(issueId);
  return waiting.union(await findRecordedFailures(runIds));
}

/** Returns the runs of the messages in the outbox of the issue. */
async function findWaitingFailures(issueId: number): Promise<Set<number>> {
  const fields = { 'outbox.params.runIds': 1 } as const;
  const issue = await IssueModel.findById(issueId, fields)
    .read('primary')
    .lean<{ outbox?: Waiting[] }>()
    .exec();
  return new Set(issue?.outbox?.flatMap(({ params }) => params?.runIds ?? []));
}

/** The part of an outbox entry that is read. Other messages have no runs. */
interface Waiting {
  params?: { runIds?: number[] };
}

const raiseIdOf = (runId: number): string => hashOf(`failure\n${runId}`);
