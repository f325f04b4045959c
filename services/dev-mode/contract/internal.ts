import { z } from 'zod';
import { ActorRecord } from '../../../contract/audit.ts';
import { action } from '../../../contract/contract.ts';
import { Id, Timestamp } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';
import { NotFound } from '../../../contract/problem.ts';
import { CHECKING_MS, StoredStep } from '../../workflow-steps/step-fields.ts';
import { TooManyStepChecks } from '../../workflow-steps/step-problems.ts';
import { BranchHasProblems } from '../dev-mode.problems.ts';
import { EditKind } from './resources.ts';

const count = z.int().nonnegative();

/** An edit as its branch hands it to the history. */
export const RecordedEdit = z.strictObject({
  workspaceId: Id,
  workflowId: Id,
  branchId: Id,
  /** The number of the edit in its branch: the id of its snapshot. */
  n: count,
  hash: z.string(),
  stepCount: count,
  key: z.string().nullable(),
  kind: EditKind,
  actor: ActorRecord,
  editedAt: Timestamp,
});
export type RecordedEdit = z.output<typeof RecordedEdit>;

/** The actions by which other services, and this one's outboxes, change and read branches. */
export const internalActions = {
  recordEdits: action({
    summary:
      'Keeps edits in the history of their branches; an edit that is known already counts as kept',
    access: { who: 'internal' },
    body: { entries: entriesOf(RecordedEdit.shape) },
    result: null,
    idempotent: true,
  }),
  removeEdits: action({
    summary: 'Removes the history of discarded branches',
    access: { who: 'internal' },
    body: { entries: entriesOf({ branchId: Id }) },
    result: null,
    idempotent: true,
  }),
  followPublished: action({
    summary:
      'Completes publications of branches, and lets branches without differences follow what is published',
    access: { who: 'internal' },
    body: {
      /** `actor` is the one who has published. */
      entries: entriesOf({ workflowId: Id, revision: count, actor: ActorRecord }),
    },
    result: null,
    idempotent: true,
  }),
  removeBranches: action({
    summary: 'Removes the branches of deleted workflows',
    access: { who: 'internal' },
    body: { entries: entriesOf({ workflowId: Id }) },
    result: null,
    idempotent: true,
  }),
  draftToRun: action({
    summary: 'The steps of a branch and the id of their snapshot, for a run of the draft',
    access: { who: 'internal' },
    body: { workflowId: Id },
    result: z.strictObject({ snapshotId: count, steps: z.array(StoredStep) }),
    errors: [NotFound, BranchHasProblems, TooManyStepChecks],
    idempotent: true,
    timeoutMs: CHECKING_MS,
  }),
};
