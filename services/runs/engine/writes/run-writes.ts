import { isDeepStrictEqual } from 'node:util';
import { mongo } from 'mongoose';
import {
  type Answer,
  answerOf,
  BULK_OPTIONS,
  done,
  failed,
  insertAll,
  type Outcomes,
} from '../../../../mixins/database/bulk-writes.ts';
import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import { isDatabaseAway, isServerSelectionError } from '../../../../support/database-outage.ts';
import { baseBytesOf } from '../../quotas/run-bytes.ts';
import { GroupCommit } from './group-commit.ts';

/*
 * Inserts of many runs share one command, and so do updates. Each write gets its own outcome: an insert by
 * `insertAll`, an update as follows.
 *
 * - The database matched as many updates as were sent: all updates are done. An error of a single write names
 *   its write.
 * - The command failed because the database is away, or because its write concern was not met: each of its
 *   writes is rejected with that error. A repeated write has `isRetry`.
 * - The command failed otherwise: each of its writes is sent alone, so that no write fails another.
 * - The database matched fewer updates: one read of the runs decides which updates are done. A run in the state
 *   that its update leaves (`result`) has that state by this update and no other:
 *   (1) A fence has one holder. Every claim raises the fence, an insert with a claim included, and so does every
 *       update by others that takes a run from its holder or ends the run. Fences never fall.
 *   (2) The holder sends its next write after the outcome of the write before. The journal's chain ensures this.
 *       An end outside the chain (`endUnfinished`, `endCancelled`) follows the chain's last write.
 *   (3) Under one fence only the holder changes `entries`: a push raises it from its own `from` to its own
 *       `to`, and so does a suspension, a cancel or an end that brings entries. By (2) each of them follows
 *       the push. So a run with `entries` at `to` and its worker under this fence has that state by this push.
 *       A suspension leaves a run that waits without a worker, which no other write does under this fence.
 *   (4) An end removes `live` and leaves the fence. Every other end under this fence is the holder's own,
 *       hence by (2) not under way, and has another `completedAt` or another status.
 *   The outcome is the same for this try of the write and for an earlier try whose answer was lost:
 *   the write took effect once, because its filter does not match the state that it leaves.
 * - A run that still matches the filter was not updated: its update is sent alone, once. If the run matches the
 *   filter even then, the write is rejected as in an outage.
 * - Any other run has a raised fence, or is gone: the holder has lost the run. Its update may have taken effect
 *   before, and then the present holder has read its entries. Or the run was notified or is to be cancelled, which
 *   refuses its suspension.
 *
 * The read follows a command that the database has acknowledged under the write concern. Even a command that
 * changes nothing waits until all earlier oplog entries satisfy that concern.
 */

/** The fields of a run that decide the outcome of an update. */
type RunState = Pick<
  RunDocument,
  | '_id'
  | 'worker'
  | 'fence'
  | 'entries'
  | 'live'
  | 'status'
  | 'completedAt'
  | 'cancelRequestedAt'
  | 'wakeups'
>;
const STATE = {
  worker: 1,
  fence: 1,
  entries: 1,
  live: 1,
  status: 1,
  completedAt: 1,
  cancelRequestedAt: 1,
  wakeups: 1,
} as const;

/** The filter that matches a field with any value. */
export const PRESENT = { $exists: true } as const;
/** The filter that matches a run without the field. */
export const ABSENT = { $exists: false } as const;

/** An update of a run by the worker that holds it. */
export interface RunUpdate {
  filter: {
    _id: number;
    worker: string;
    fence: number;
    entries?: number;
    cancelRequestedAt?: typeof PRESENT | typeof ABSENT;
    wakeups?: number | typeof ABSENT;
  };
  update: mongo.UpdateFilter<RunDocument>;
  /** The state that only this update leaves under its fence. The run lacks a field that is undefined here. */
  result: Pick<RunState, 'fence'> & Partial<RunState>;
  /** Whether an earlier try may have taken effect. */
  isRetry: boolean;
  /** The approximate bytes of the update. */
  bytes: number;
}

const inserts = new GroupCommit<RunDocument, void>({
  send: (runs) => insertAll(RunModel.collection, runs),
  rejectsQueue: isServerSelectionError,
  bytesOf: baseBytesOf,
});
const updates = new GroupCommit<RunUpdate, boolean>({
  send: updateAll,
  rejectsQueue: isServerSelectionError,
  bytesOf: ({ bytes }) => bytes,
});

/** Stores a new run. */
export const insertRun = (run: RunDocument): Promise<void> => inserts.add(run);

/** Updates a run. Returns false when the worker no longer holds the run under that fence. */
export const updateRun = (update: RunUpdate): Promise<boolean> => updates.add(update);

/** Sends updates in one command. With `isLastTry`, an update that did not reach its run is not sent again. */
async function updateAll(
  writes: readonly RunUpdate[],
  isLastTry = false,
): Promise<Outcomes<boolean>> {
  const operations = writes.map(({ filter, update }) => ({ updateOne: { filter, update } }));
  try {
    const answer = await answerOf(RunModel.collection.bulkWrite(operations as never, BULK_OPTIONS));
    return await outcomesOf(writes, answer, isLastTry);
  } catch (error) {
    if (writes.length === 1 || isDatabaseAway(error)) throw error;
    return Promise.all(writes.map((write) => updateAlone(write)));
  }
}

async function updateAlone(
  write: RunUpdate,
  isLastTry = false,
): Promise<PromiseSettledResult<boolean>> {
  try {
    const [outcome] = await updateAll([{ ...write, isRetry: true }], isLastTry);
    return outcome ?? failed(new Error('an update has no outcome'));
  } catch (error) {
    return failed(error);
  }
}

async function outcomesOf(
  writes: readonly RunUpdate[],
  { count, errors }: Answer,
  isLastTry: boolean,
): Promise<Outcomes<boolean>> {
  const isComplete = count + errors.size === writes.length;
  const isRefused = count === 0 && errors.size === 0 && writes.every(({ isRetry }) => !isRetry);
  const judge =
    isComplete || isRefused ? () => done(isComplete) : await readOutcomes(writes, isLastTry);
  return Promise.all(
    writes.map((write, at) => (errors.has(at) ? failed(errors.get(at)) : judge(write))),
  );
}

/** Reads the runs once. Returns a function that decides the outcome of an update by the state of its run. */
async function readOutcomes(writes: readonly RunUpdate[], isLastTry: boolean) {
  const ids = writes.map(({ filter }) => filter._id);
  const states = await RunModel.find({ _id: { $in: ids } }, STATE)
    .read('primary')
    .lean<RunState[]>();
  const byId = new Map(states.map((state) => [state._id, state]));
  return (write: RunUpdate) => {
    const state = byId.get(write.filter._id);
    if (matches(state, write.result)) return done(true);
    if (!matches(state, write.filter)) return done(false);
    return isLastTry ? failed(createUnreachedError()) : updateAlone(write, true);
  };
}

/**
 * Makes the error of an update that did not reach its run, as around an election. The error counts as an outage,
 * so that the holder repeats the write; a defect would end the run.
 */
const createUnreachedError = () =>
  new mongo.MongoServerError({
    message: 'an update matches its run and was not carried out',
    errorLabels: ['RetryableWriteError'],
  });

function matches(
  state: RunState | undefined,
  fields: RunUpdate['filter'] | RunUpdate['result'],
): boolean {
  if (!state) return false;
  return Object.entries(fields).every(([name, wanted]) => {
    const value = state[name as keyof RunState];
    if (wanted === PRESENT) return value !== undefined;
    return isDeepStrictEqual(value, wanted === ABSENT ? undefined : wanted);
  });
}
