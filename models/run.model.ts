import type { ShareOwner } from '../support/fair-shares/share.ts';
import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';
import { checkpoint, journalEntry } from './journal-entry.ts';
import { openSteps } from './open-step.ts';
import type { RunStatus } from './run-status.ts';

/** The configuration store of a run as it was at the run's start. */
const configuration = field.object({
  id: field.number,
  externalId: field.string,
  /** The time of the store's last change. */
  updatedAt: field.date,
  /** The properties as JSON: the value of `$properties`. */
  properties: field.string,
  /** The pairs of credentials of all flows as JSON: a `FlowCredentialPair[]`. */
  pairs: field.string,
});

/** A signal that was posted to a run: the latest of its name. */
export interface KeptSignal {
  id: number;
  /** The body as JSON. */
  json: string;
  /** The time of the post by the database's clock. Absent in signals that older versions have kept. */
  postedAt?: Date;
}
/** Signals by name. A name may equal the name of an inherited property, such as `constructor`. */
export type SignalsByName<T> = Readonly<Record<string, T>>;

/** The place of a child run: the task `run` of another run that started it. */
const parentTask = field.object({
  /** The parent run. */
  runId: field.number,
  /** The key of the task's execution in the parent run (`Position.key`). */
  key: field.string,
  /** The number of runs above the child run: 1 where the parent run has no parent. */
  depth: field.number,
  /** The topmost of the runs above. Absent in child runs of older versions, and in part of the runs below them. */
  rootId: field.optional(field.number),
});
export type ParentTask = DocumentOf<{ parent: typeof parentTask }>['parent'];

/** The workflow of an execution and its steps, in place of a flow and its version. */
const execution = field.object({
  workflowId: field.number,
  workflowName: field.string,
  /** The published revision; of a draft, the id of its snapshot. */
  revision: field.number,
  draft: field.flag,
  /** The steps as a flow file. They are kept with the run, so that no later publication changes it. */
  content: field.string,
  /** SHA-256 of the content. */
  contentHash: field.string,
});
export type ExecutionFields = DocumentOf<{ execution: typeof execution }>['execution'];

/**
 * A run. This document alone decides which worker holds the run, which writes count, and how far the run is.
 * `ready`, `worker`, `wakeAt` and the like are absent while they do not apply, so that their indexes stay small.
 */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  /** The flow of a flow run, its name at the start, and the version. Absent in an execution of a workflow. */
  flowId: field.optional(field.number),
  flowName: field.optional(field.string),
  versionId: field.optional(field.number),
  /** Absent in a flow run. */
  execution: field.optional(execution),
  status: field.stringOf<RunStatus>(),
  /** The input as JSON: text keeps the order of keys, `$` keys and any depth. */
  input: field.string,
  /** Absent in runs without a configuration store. */
  configuration: field.optional(configuration),
  output: field.nullable(field.string),
  error: field.nullable(field.string),
  startedBy: actor,
  /**
   * The name of the occurrence or the request of a trigger that has started the run, such as
   * `schedule/7/2026-01-31T09:30:00.000Z`. A start with the name of a stored run is that run.
   */
  startKey: field.optional(field.string),
  /** The schedule that has started the run with `overlap: SKIP`. Of the runs of one key at most one is live. */
  singletonKey: field.optional(field.string),
  /** Present in a child run, which a task `run` of another run started. */
  parent: field.optional(parentTask),
  /** Set in a child run, for the indexes that tell child runs from other runs. */
  isChild: field.flag,
  /** Set where the run may have child runs, before the first of them is stored. */
  hasChildren: field.flag,
  /**
   * Set in a child run, and in a run with child runs, until after the end the parent run is notified and the child runs
   * are cancelled.
   */
  familyPending: field.flag,
  /** The trace of the run's start. The spans of the run belong to that trace. */
  traceparent: field.optional(field.string),
  /** The run that this run retries. */
  retryOf: field.optional(field.number),
  /** 1 and the number of runs before it in the chain of retries; absent for 1. */
  attempt: field.optional(field.number),
  /**
   * The run whose id is the seed of random values and begins each `Idempotency-Key`: the first of a chain of retries.
   * Absent where that is the run itself.
   */
  originId: field.optional(field.number),
  /** Set until the journal entries of the run `retryOf` that this run reuses are copied. It stays when the run ends before. */
  copiesJournal: field.flag,
  /** The number of the last journal entry that was copied from the run `retryOf`. */
  reused: field.optional(field.number),
  /** Present when a failure of the run raises an issue (`metadata.onFailure`). */
  onFailure: field.optional(field.object({ assignedUserId: field.nullable(field.number) })),
  /** Milliseconds from the start of the run until the run times out. */
  timeoutMs: field.number,
  createdAt: field.date,
  startedAt: field.optional(field.date),
  completedAt: field.optional(field.date),
  deadlineAt: field.optional(field.date),

  /** Set until the run has ended. */
  live: field.flag,
  /** The owner of the workspace at the run's start, for claims and shares. */
  shareOwner: field.stringOf<ShareOwner>(),
  /** Set while a worker may claim the run. */
  ready: field.flag,
  /** The time since which the run is ready, unless the run is ready since its creation. */
  readyAt: field.optional(field.date),
  /** The most runs of the flow that are RUNNING at once (`metadata.concurrency`), by the version of this run. */
  concurrency: field.optional(field.number),
  /**
   * The number of the permit that the run holds, from 0. A run with `concurrency` has one while the run is ready or
   * RUNNING.
   */
  permit: field.optional(field.number),
  /** The time since which the run waits for a permit. Without that wait the run would be ready. */
  permitRequestedAt: field.optional(field.date),
  /** The time at which a waiting or postponed run goes on. */
  wakeAt: field.optional(field.date),
  /** The worker that holds the run. */
  worker: field.optional(field.string),
  /** Raised by each claim and each loss of the run. A write that names an older fence is refused. */
  fence: field.number,
  cancelRequestedAt: field.optional(field.date),
  /** The id of the request that has cancelled the run, by which a repeat of its call is known after the end. */
  cancelRequestId: field.optional(field.string),
  /** The number of notifications so far: signals, and ends of child runs. A suspension names the number it knows. */
  wakeups: field.optional(field.number),
  /** The topics that a waiting run waits for. A notification of any other topic does not make the run ready. */
  awaits: field.optional(field.list(field.string)),
  /** The latest signal of each name. */
  signals: field.optional(field.mixed<SignalsByName<KeptSignal>>()),
  /** The ids of the signals that the run has received, the latest of each name. */
  consumedSignals: field.optional(field.mixed<SignalsByName<number>>()),
  /**
   * The ids of the latest signals whose requests have an `Idempotency-Key`, received or not. They stay when the run ends,
   * for requests that are repeated later.
   */
  postedSignals: field.optional(field.list(field.number)),
  outbox: changedFields.outbox,

  /** The newest journal entries. Older entries are moved to `run_steps`. */
  journal: field.list(journalEntry),
  /** The number of the newest journal entry. */
  entries: field.number,
  /** The number of the last event that the entries give, and of the RUNNING after a suspension (`JournalEntry.event`). */
  events: field.optional(field.number),
  /** Set from a suspension until the next claim; it stays when the run ends meanwhile. */
  suspended: field.flag,
  /** The number of the last moved entry; 0 while no entry is moved. */
  moved: field.number,
  /** The latest checkpoint. Absent in a run that has none, and in a run that has ended. */
  checkpoint: field.optional(checkpoint),
  /** Bytes of all step records of the run. The engine bounds the sum. */
  keptBytes: field.number,
  /** The number of executed steps that are not recorded; absent while all are. */
  omittedSteps: field.optional(field.number),
  /**
   * The tasks under way as of the run's last write. An ended run has those at which it ended, where the end came from
   * outside its interpretation.
   */
  openSteps: field.optional(openSteps),
  /** Bytes of the run in the database: those of its creation, of its journal and open steps, and of its end. */
  baseBytes: field.optional(field.number),
  journalBytes: field.optional(field.number),
  resultBytes: field.optional(field.number),
  /** The approximate peak of memory of the run's execution in bytes, as of its last write. */
  weight: field.optional(field.number),
  /** The number of postponements in a row at the same number of journal entries. */
  backoff: field.optional(field.object({ entries: field.number, times: field.number })),
  /** The number of deaths in a row of workers that held the run, at the same number of journal entries. */
  losses: field.optional(field.object({ entries: field.number, times: field.number })),

  /** Flags of `ROLLUP_PENDING`, set until the run's creation, or its end, is in the rollups. */
  uncounted: field.flag,
  unposted: field.flag,
  /** The sum of the `RUN_EVENTS` that are not published yet; absent without any. A child run may have it, and has no events. */
  eventsPending: field.optional(field.number),
  /** Set while retention removes the run: first its steps, then the run itself. No request finds the run. */
  expired: field.flag,
};
export type RunDocument = DocumentOf<typeof fields>;

/** The fields that flow runs have and executions lack. */
type FlowField = 'flowId' | 'flowName' | 'versionId';
/** Whether a run, or the fields that were read of it, is the run of a flow. Other runs are executions of workflows. */
export const isFlowRun = <R extends Partial<Pick<RunDocument, 'flowId'>>>(
  run: R,
): run is R & Required<Pick<R, keyof R & FlowField>> => run.flowId !== undefined;

/** Whether a run is in the statistics and among the recent runs: the run of a flow that no other run has started. */
export const isCountedRun = <R extends Partial<Pick<RunDocument, 'flowId' | 'isChild'>>>(
  run: R,
): run is R & Required<Pick<R, keyof R & FlowField>> => isFlowRun(run) && !run.isChild;

/** The condition of the runs of `isCountedRun`. */
export const COUNTED_RUNS = {
  flowId: { $exists: true },
  isChild: { $exists: false },
} as const;

/**
 * The flags of a run whose creation, end or removal is missing in a rollup. Their stored names are older than
 * these words and stay, because processes of older versions read and write them during an upgrade.
 */
export const ROLLUP_PENDING = {
  creation: 'uncounted',
  end: 'unposted',
  removal: 'expired',
} as const;

/** The name of the unique index by which one start of a trigger makes one run. */
export const START_KEY_INDEX = 'start_key';
/** The name of the unique index by which of the runs of one `singletonKey` at most one is live. */
export const SINGLETON_INDEX = 'singleton';
/** The outgoing events of a run, as bits of `eventsPending`. */
export const RUN_EVENTS = { started: 1, ended: 2 } as const;

export const RunModel = defineModel({
  name: 'Run',
  collection: 'runs',
  fields,
  indexes: [
    outboxIndex,
    // The lists of runs, newest first: the flow runs of a workspace without the child runs, the runs of a flow, the
    // executions of a workflow. The last has all runs, so that the deletion of a workspace finds them.
    [
      { workspaceId: 1, isChild: 1, createdAt: -1, _id: -1 },
      { partialFilterExpression: { flowId: { $exists: true } } },
    ],
    [{ flowId: 1, createdAt: -1, _id: -1 }],
    [{ workspaceId: 1, 'execution.workflowId': 1, createdAt: -1, _id: -1 }],
    // Operators find the newest executions of all workflows of a workspace.
    [
      { workspaceId: 1, createdAt: -1, _id: -1 },
      { partialFilterExpression: { 'execution.workflowId': { $exists: true } } },
    ],
    // Claims go from owner to owner, then from workspace to workspace, and take the oldest new run or the run that has
    // been ready again for longest. The index covers ready runs only.
    [
      { ready: 1, shareOwner: 1, workspaceId: 1, readyAt: 1, createdAt: 1, _id: 1 },
      { partialFilterExpression: { ready: true } },
    ],
    // No permit of a flow has two holders. The waits for a permit: of a flow from the oldest on, and of all owners.
    [
      { flowId: 1, permit: 1 },
      { unique: true, partialFilterExpression: { permit: { $exists: true } } },
    ],
    [
      { flowId: 1, permitRequestedAt: 1, _id: 1 },
      { partialFilterExpression: { permitRequestedAt: { $exists: true } } },
    ],
    [
      { shareOwner: 1, flowId: 1, permitRequestedAt: 1 },
      { partialFilterExpression: { permitRequestedAt: { $exists: true } } },
    ],
    // The age of the queue: runs that are ready since their creation first, then the others, each from the oldest on.
    [{ ready: 1, readyAt: 1, createdAt: 1 }, { partialFilterExpression: { ready: true } }],
    // Live runs of all workspaces, or of a workspace, and its flow runs are counted from this index alone.
    [
      { live: 1, status: 1, workspaceId: 1, flowId: 1 },
      { partialFilterExpression: { live: true } },
    ],
    // A task starts one child run. The live child runs of flows are counted from the second index alone, and the last
    // has the ended runs whose parent or child runs have not heard of the end.
    [
      { 'parent.runId': 1, 'parent.key': 1 },
      { unique: true, partialFilterExpression: { 'parent.runId': { $exists: true } } },
    ],
    [
      { live: 1, isChild: 1, workspaceId: 1, status: 1, flowId: 1 },
      { partialFilterExpression: { live: true, isChild: true } },
    ],
    // The live runs below a run, at all depths, are counted from this index alone.
    [
      { 'parent.rootId': 1, live: 1, isChild: 1 },
      { partialFilterExpression: { live: true, isChild: true } },
    ],
    [{ familyPending: 1, completedAt: 1 }, { partialFilterExpression: { familyPending: true } }],
    // Live executions of a workflow are counted from this index alone.
    [
      { live: 1, workspaceId: 1, 'execution.workflowId': 1 },
      { partialFilterExpression: { live: true, 'execution.workflowId': { $exists: true } } },
    ],
    // The stored bytes of live runs are added up from this index alone.
    [
      { live: 1, workspaceId: 1, journalBytes: 1 },
      { partialFilterExpression: { live: true, journalBytes: { $exists: true } } },
    ],
    // A trigger's start makes one run. The live runs of a schedule are found by the beginning of their keys.
    [
      { startKey: 1 },
      {
        name: START_KEY_INDEX,
        unique: true,
        partialFilterExpression: { startKey: { $exists: true } },
      },
    ],
    [
      { live: 1, startKey: 1 },
      { partialFilterExpression: { live: true, startKey: { $exists: true } } },
    ],
    [
      { singletonKey: 1 },
      {
        name: SINGLETON_INDEX,
        unique: true,
        partialFilterExpression: { live: true, singletonKey: { $exists: true } },
      },
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
    [{ eventsPending: 1, _id: 1 }, { partialFilterExpression: { eventsPending: { $gt: 0 } } }],
    // The retries of runs: a job of many retries leaves out the runs that have been retried.
    [{ retryOf: 1 }, { sparse: true }],
    // Runs that retention removes: ended runs from the oldest on, and runs whose removal has begun.
    [{ completedAt: 1 }, { sparse: true }],
    [
      { [ROLLUP_PENDING.removal]: 1 },
      { partialFilterExpression: { [ROLLUP_PENDING.removal]: true } },
    ],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { renameFound: ['startedBy'] },
  },
});
