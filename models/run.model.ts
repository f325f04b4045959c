import type { ShareOwner } from '../support/fair-shares/share.ts';
import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';
import { journalEntry } from './journal-entry.ts';
import type { RunStatus } from './run-status.ts';

/**
 * A run. This one document decides: who works on it, whether it may still be written, how far it is.
 * A field that says "now" (`ready`, `worker`, `wakeAt`, …) is absent otherwise, so that its index
 * holds only the few runs it concerns.
 */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  flowId: field.number,
  flowName: field.string,
  versionId: field.number,
  status: field.stringOf<RunStatus>(),
  /** JSON; text keeps key order, `$` keys and depth. */
  input: field.string,
  output: field.nullable(field.string),
  error: field.nullable(field.string),
  startedBy: actor,
  /** The trace that its start was part of; all it does is part of it as well. */
  traceparent: field.optional(field.string),
  /** From the start of the run until it times out. */
  timeoutMs: field.number,
  createdAt: field.date,
  startedAt: field.optional(field.date),
  completedAt: field.optional(field.date),
  deadlineAt: field.optional(field.date),

  /** While the run has not ended. */
  live: field.flag,
  /** Who paid for its workspace at its start: claims and shares go by it. Absent in runs of older versions. */
  shareOwner: field.optional(field.stringOf<ShareOwner>()),
  /** While a worker may claim it. */
  ready: field.flag,
  /** Since when, unless it is since its creation. */
  readyAt: field.optional(field.date),
  /** While it waits or is put off: when it goes on. */
  wakeAt: field.optional(field.date),
  /** Who works on it now. */
  worker: field.optional(field.string),
  /** Raised by each claim and each loss: a write that names an older one is refused. */
  fence: field.number,
  cancelRequestedAt: field.optional(field.date),
  outbox: changedFields.outbox,

  /** The newest entries; older ones are moved to `run_steps`. */
  journal: field.list(journalEntry),
  /** The number of the last entry ever made. */
  entries: field.number,
  /** The last entry moved; 0 while all are here. */
  moved: field.number,
  /** Bytes of the values that its steps keep, which is bounded. */
  keptBytes: field.number,
  /** Bytes that it takes in the database: from its creation on, its journal, and since its end. */
  baseBytes: field.optional(field.number),
  journalBytes: field.optional(field.number),
  resultBytes: field.optional(field.number),
  /** About how many bytes of memory it took at most to follow it, when that was written last. */
  weight: field.optional(field.number),
  /** How often in a row it was put off while it had so many entries. */
  backoff: field.optional(field.object({ entries: field.number, times: field.number })),

  /** `ROLLUP_PENDING`: until its creation, or its end, is in the rollups. */
  uncounted: field.flag,
  unposted: field.flag,
  /** While retention removes the run: first its steps, then the run itself. No request finds it any more. */
  expired: field.flag,

  /** Since its `baseBytes`, and those of its end, are in the rollups: retention subtracts no others. */
  baseCounted: field.flag,
  endCounted: field.flag,
};
export type RunDocument = DocumentOf<typeof fields>;

/**
 * The flags of a run whose creation, end or removal is missing in a rollup. Their stored names are older than
 * these words and stay, because processes of older versions read and write them during an upgrade.
 */
export const ROLLUP_PENDING = {
  creation: 'uncounted',
  end: 'unposted',
  removal: 'expired',
} as const;

export const RunModel = defineModel({
  name: 'Run',
  collection: 'runs',
  fields,
  indexes: [
    outboxIndex,
    // Lists, newest first.
    [{ workspaceId: 1, createdAt: -1, _id: -1 }],
    [{ flowId: 1, createdAt: -1, _id: -1 }],
    // Claims go from owner to owner, then from workspace to workspace, and take the oldest run: what has begun
    // goes on first.
    [
      { ready: 1, shareOwner: 1, workspaceId: 1, createdAt: 1, _id: 1 },
      { partialFilterExpression: { ready: true } },
    ],
    // The age of the queue: those that are ready since their creation first, then the others, each from the oldest on.
    [{ ready: 1, readyAt: 1, createdAt: 1 }, { partialFilterExpression: { ready: true } }],
    // Live runs are counted from it alone, of a workspace or of all.
    [{ live: 1, status: 1, workspaceId: 1 }, { partialFilterExpression: { live: true } }],
    // What live runs have stored so far, counted from the index alone.
    [
      { live: 1, workspaceId: 1, journalBytes: 1 },
      { partialFilterExpression: { live: true, journalBytes: { $exists: true } } },
    ],
    [{ deadlineAt: 1 }, { partialFilterExpression: { live: true } }],
    [{ wakeAt: 1 }, { sparse: true }],
    [{ worker: 1 }, { sparse: true }],
    [{ cancelRequestedAt: 1 }, { sparse: true }],
    [
      { [ROLLUP_PENDING.creation]: 1, workspaceId: 1 },
      { partialFilterExpression: { [ROLLUP_PENDING.creation]: true } },
    ],
    [
      { [ROLLUP_PENDING.end]: 1, workspaceId: 1 },
      { partialFilterExpression: { [ROLLUP_PENDING.end]: true } },
    ],
    // What is too old, the oldest first, and what is on its way out.
    [{ completedAt: 1 }, { sparse: true }],
    [
      { [ROLLUP_PENDING.removal]: 1 },
      { partialFilterExpression: { [ROLLUP_PENDING.removal]: true } },
    ],
  ],
});
