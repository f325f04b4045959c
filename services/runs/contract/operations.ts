import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Id, IntText, Timestamp } from '../../../contract/fields.ts';
import { RunStatus } from './resources.ts';

const count = z.int().nonnegative();

const runOfAnyWorkspace = {
  id: Id,
  workspaceId: Id,
  /** The name of its flow or its workflow. */
  name: z.string(),
  status: RunStatus,
  /** The worker that holds the run; null while no worker holds the run. */
  worker: z.string().nullable(),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  wakeAt: Timestamp.nullable(),
};

/** A run that has not ended, with its worker. */
export const LiveRun = z.strictObject(runOfAnyWorkspace);
export type LiveRun = z.output<typeof LiveRun>;

/** A run of any workspace, live or ended. */
export const FoundRun = z.strictObject({
  ...runOfAnyWorkspace,
  completedAt: Timestamp.nullable(),
  /** The title of the run's error; null without one. */
  error: z.string().nullable(),
});
export type FoundRun = z.output<typeof FoundRun>;

/** A live run that does not go on, though it should or would with more room. */
export const StuckRun = z.strictObject({
  ...runOfAnyWorkspace,
  /** The time since which the run does not go on, as far as its document tells. */
  since: Timestamp,
  reason: z.string(),
});
export type StuckRun = z.output<typeof StuckRun>;

export const StuckRuns = z.strictObject({
  runs: z.array(StuckRun),
  /** Whether all live runs were searched; false where that took too long. */
  isComplete: z.boolean(),
});
export type StuckRuns = z.output<typeof StuckRuns>;

export const WorkerState = z.strictObject({
  id: z.string(),
  /** The name of the worker's process: host name and pid. */
  node: z.string(),
  /** The worker's counter, raised once a second while the worker lives. */
  beat: count,
  capacity: count,
  /** Runs that the worker holds now. */
  runs: count,
});
export type WorkerState = z.output<typeof WorkerState>;

/** The number of runs that have not ended, by status, and the time since which a run waits for a worker. */
export const Backlog = z.strictObject({
  live: z.partialRecord(RunStatus, count),
  waitingSince: Timestamp.nullable(),
});
export type Backlog = z.output<typeof Backlog>;

/** Actions for operators and metrics, over all workspaces; they have no route. */
export const operatorActions = {
  backlog: action({
    summary: 'How many runs have not ended, and for how long one has waited for a worker',
    access: { who: 'internal' },
    result: Backlog,
    idempotent: true,
  }),
  listLive: action({
    summary: 'Runs that have not ended, the oldest first',
    access: { who: 'internal' },
    body: { workspaceId: Id.optional(), limit: IntText(1, 1_000).default(100) },
    result: z.strictObject({ runs: z.array(LiveRun), backlog: Backlog }),
    idempotent: true,
  }),
  listStuck: action({
    summary:
      'Live runs that have not gone on for 10 s, with the reason of each, the longest wait first',
    description:
      'Runs that wait for a worker or for room in their flow, that match no claim, or whose worker is dead. Runs that wait for a time or a signal are not among them.',
    access: { who: 'internal' },
    body: { workspaceId: Id.optional(), limit: IntText(1, 1_000).default(100) },
    result: StuckRuns,
    idempotent: true,
  }),
  search: action({
    summary: 'Runs of any workspace by status, workspace and flow, the newest first',
    description:
      'Flow runs, child runs and executions. Without workspace and flow the ended runs are ordered by their end.',
    access: { who: 'internal' },
    body: {
      statuses: z.array(RunStatus).min(1).optional(),
      workspaceId: Id.optional(),
      flowId: Id.optional(),
      limit: IntText(1, 1_000).default(100),
    },
    result: z.strictObject({ runs: z.array(FoundRun) }),
    idempotent: true,
  }),
  listWorkers: action({
    summary: 'The processes that work on runs',
    access: { who: 'internal' },
    result: z.strictObject({ workers: z.array(WorkerState) }),
    idempotent: true,
  }),
};
