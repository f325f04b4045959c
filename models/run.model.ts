import { type Model, model, Schema } from 'mongoose';
import type { Actor } from '../contract/caller.ts';
import type { ShareOwner } from '../support/fair-shares/share.ts';
import { ActorSchema } from './actor.ts';
import { type JournalEntry, journalEntryFields } from './journal-entry.ts';
import type { RunStatus } from './run-status.ts';

/**
 * A run. This one document decides: who works on it, whether it may still be written, how far it is.
 * A field that says "now" (`ready`, `worker`, `wakeAt`, …) is absent otherwise, so that its index
 * holds only the few runs it concerns.
 */
export interface RunDocument {
  _id: number;
  workspaceId: number;
  flowId: number;
  flowName: string;
  versionId: number;
  status: RunStatus;
  /** JSON; text keeps key order, `$` keys and depth. */
  input: string;
  output: string | null;
  error: string | null;
  startedBy: Actor;
  /** The trace that its start was part of; all it does is part of it as well. */
  traceparent?: string;
  /** From the start of the run until it times out. */
  timeoutMs: number;
  createdAt: Date;
  startedAt?: Date;
  completedAt?: Date;
  deadlineAt?: Date;

  /** While the run has not ended. */
  live?: true;
  /** Who paid for its workspace at its start: claims and shares go by it. Absent in runs of older versions. */
  shareOwner?: ShareOwner;
  /** While a worker may claim it. */
  ready?: true;
  /** Since when, unless it is since its creation. */
  readyAt?: Date;
  /** While it waits or is put off: when it goes on. */
  wakeAt?: Date;
  /** Who works on it now. */
  worker?: string;
  /** Raised by each claim and each loss: a write that names an older one is refused. */
  fence: number;
  cancelRequestedAt?: Date;

  /** The newest entries; older ones are moved to `run_steps`. */
  journal: JournalEntry[];
  /** The number of the last entry ever made. */
  entries: number;
  /** The last entry moved; 0 while all are here. */
  moved: number;
  /** Bytes of the values that its steps keep, which is bounded. */
  keptBytes: number;
  /** Bytes that it takes in the database: from its creation on, its journal, and since its end. */
  baseBytes?: number;
  journalBytes?: number;
  resultBytes?: number;
  /** About how many bytes of memory it took at most to follow it, when that was written last. */
  weight?: number;
  /** How often in a row it was put off while it had so many entries. */
  setbacks?: { entries: number; times: number };

  /** `ROLLUP_PENDING`: until its creation, or its end, is in the rollups. */
  uncounted?: true;
  unposted?: true;
  /** While retention removes the run: first its steps, then the run itself. No request finds it any more. */
  expired?: true;

  /** Since its `baseBytes`, and those of its end, are in the rollups: retention subtracts no others. */
  baseCounted?: true;
  endCounted?: true;
}

/**
 * The flags of a run whose creation, end or removal is missing in a rollup. Their stored names are older than
 * these words and stay, because processes of older versions read and write them during an upgrade.
 */
export const ROLLUP_PENDING = {
  creation: 'uncounted',
  end: 'unposted',
  removal: 'expired',
} as const;

const schema = new Schema<RunDocument>(
  {
    _id: Number,
    workspaceId: Number,
    flowId: Number,
    flowName: String,
    versionId: Number,
    status: String,
    input: String,
    output: String,
    error: String,
    startedBy: ActorSchema,
    traceparent: String,
    timeoutMs: Number,
    createdAt: Date,
    startedAt: Date,
    completedAt: Date,
    deadlineAt: Date,
    live: Boolean,
    shareOwner: String,
    ready: Boolean,
    readyAt: Date,
    wakeAt: Date,
    worker: String,
    fence: Number,
    cancelRequestedAt: Date,
    journal: [new Schema<JournalEntry>(journalEntryFields, { _id: false, id: false })],
    entries: Number,
    moved: Number,
    keptBytes: Number,
    baseBytes: Number,
    journalBytes: Number,
    resultBytes: Number,
    weight: Number,
    setbacks: new Schema({ entries: Number, times: Number }, { _id: false, id: false }),
    uncounted: Boolean,
    unposted: Boolean,
    expired: Boolean,
    baseCounted: Boolean,
    endCounted: Boolean,
  },
  { collection: 'runs', versionKey: false, minimize: false },
);
// Lists, newest first.
schema.index({ workspaceId: 1, createdAt: -1, _id: -1 });
schema.index({ flowId: 1, createdAt: -1, _id: -1 });
// Claims go from owner to owner, then from workspace to workspace, and take the oldest run: what has begun
// goes on first.
schema.index(
  { ready: 1, shareOwner: 1, workspaceId: 1, createdAt: 1, _id: 1 },
  { partialFilterExpression: { ready: true } },
);
// The age of the queue: those that are ready since their creation first, then the others, each from the oldest on.
schema.index({ ready: 1, readyAt: 1, createdAt: 1 }, { partialFilterExpression: { ready: true } });
// Live runs are counted from it alone, of a workspace or of all.
schema.index({ live: 1, status: 1, workspaceId: 1 }, { partialFilterExpression: { live: true } });
// What live runs have stored so far, counted from the index alone.
schema.index(
  { live: 1, workspaceId: 1, journalBytes: 1 },
  { partialFilterExpression: { live: true, journalBytes: { $exists: true } } },
);
schema.index({ deadlineAt: 1 }, { partialFilterExpression: { live: true } });
schema.index({ wakeAt: 1 }, { sparse: true });
schema.index({ worker: 1 }, { sparse: true });
schema.index({ cancelRequestedAt: 1 }, { sparse: true });
schema.index(
  { [ROLLUP_PENDING.creation]: 1, workspaceId: 1 },
  { partialFilterExpression: { [ROLLUP_PENDING.creation]: true } },
);
schema.index(
  { [ROLLUP_PENDING.end]: 1, workspaceId: 1 },
  { partialFilterExpression: { [ROLLUP_PENDING.end]: true } },
);
// What is too old, the oldest first, and what is on its way out.
schema.index({ completedAt: 1 }, { sparse: true });
schema.index(
  { [ROLLUP_PENDING.removal]: 1 },
  { partialFilterExpression: { [ROLLUP_PENDING.removal]: true } },
);

export const RunModel: Model<RunDocument> = model<RunDocument>('Run', schema);
