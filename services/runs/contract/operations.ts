import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Id, IntText, Timestamp } from '../../../contract/fields.ts';
import { RunStatus } from './resources.ts';

const count = z.int().nonnegative();

/** A run that has not ended, and who works on it. */
export const LiveRun = z.strictObject({
  id: Id,
  workspaceId: Id,
  flowName: z.string(),
  status: RunStatus,
  /** The worker that holds it; null while none does. */
  worker: z.string().nullable(),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  wakeAt: Timestamp.nullable(),
});
export type LiveRun = z.output<typeof LiveRun>;

export const WorkerState = z.strictObject({
  id: z.string(),
  /** Its process, by the name that Moleculer gives it: host name and pid. */
  node: z.string(),
  /** Raised once a second while it lives. */
  beat: count,
  capacity: count,
  /** Runs that it holds now. */
  runs: count,
});
export type WorkerState = z.output<typeof WorkerState>;

/** How many runs have not ended, by status, and since when one of them waits for a worker. */
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
    body: { limit: IntText(1, 1_000).default(100) },
    result: z.strictObject({ runs: z.array(LiveRun), backlog: Backlog }),
    idempotent: true,
  }),
  listWorkers: action({
    summary: 'The processes that work on runs',
    access: { who: 'internal' },
    result: z.strictObject({ workers: z.array(WorkerState) }),
    idempotent: true,
  }),
};
