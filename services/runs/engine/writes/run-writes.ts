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
 * Inserts and updates of many runs, each in one command. The outcome of each write is told apart, that of
 * an insert by `insertAll`:
 *
 * - As many updates matched as were sent: all are done. Errors of single writes name their writes.
 * - A command failed as a whole because the database is away, or its write concern was not met: every
 *   write of it is rejected with that. A write that is tried again says so (`isRetry`).
 * - A command failed otherwise: each of its writes is sent alone, so that one cannot fail the others.
 * - Fewer updates matched: one read of the runs tells which are done. A run that is as its update leaves
 *   it (`result`) was left so by this update and no other:
 *   (1) A fence has one holder. A claim raises it, be it the insert itself, and so does everybody who takes
 *       a run from its holder or ends it without being the holder. Fences never fall.
 *   (2) The holder sends its next write when the one before has its outcome. The journal's chain sees to
 *       that. An end outside the chain (`endUnfinished`, `endCancelled`) follows the chain's last write.
 *   (3) Under one fence only the holder changes `entries`: a push raises it from its own `from` to its own
 *       `to`, and so does a suspension, a cancel or an end that brings entries. By (2) each of them follows
 *       the push. So a run with `entries` at `to` and its worker under this fence was left so by this push.
 *   (4) An end removes `live` and leaves the fence. Every other end under this fence is the holder's own,
 *       hence by (2) not under way, and it has another moment or another status.
 *   So it does not matter whether this try of the write was carried out or an earlier one whose answer
 *   was lost: the write is done, and once, because its filter does not match what it leaves.
 * - A run that is still as the filter says was not reached: its update is sent alone, once. If the run is
 *   as the filter says after that too, the write is rejected as in an outage.
 * - Any other run is not the holder's any more: its fence was raised, or it is gone. Its update may have
 *   been carried out before that, and then whoever holds the run now has read its entries.
 *
 * Such a read follows a command that the database has acknowledged under the write concern: also one that
 * changes nothing waits until what is before it in the oplog is as safe as that.
 */

/** What tells the outcome of an update. */
type RunState = Pick<
  RunDocument,
  '_id' | 'worker' | 'fence' | 'entries' | 'live' | 'status' | 'completedAt' | 'cancelRequestedAt'
>;
const STATE = {
  worker: 1,
  fence: 1,
  entries: 1,
  live: 1,
  status: 1,
  completedAt: 1,
  cancelRequestedAt: 1,
} as const;

/** As a filter, that a field is present, whatever its value. */
export const PRESENT = { $exists: true } as const;

/** An update of a run by the worker that holds it. */
export interface RunUpdate {
  filter: {
    _id: number;
    worker: string;
    fence: number;
    entries?: number;
    cancelRequestedAt?: typeof PRESENT;
  };
  update: mongo.UpdateFilter<RunDocument>;
  /** What only this update makes of the run under its fence. An undefined field is absent then. */
  result: Pick<RunState, 'fence'> & Partial<RunState>;
  /** Whether an earlier try may have been carried out. */
  isRetry: boolean;
  /** About how many bytes it takes. */
  bytes: number;
}

const inserts = new GroupCommit<RunDocument, void>({
  send: (runs) => insertAll(RunModel.collection, runs),
  rejectsQueue: isServerSelectionError,
  bytesOf: ({ input }) => baseBytesOf(input),
});
const updates = new GroupCommit<RunUpdate, boolean>({
  send: updateAll,
  rejectsQueue: isServerSelectionError,
  bytesOf: ({ bytes }) => bytes,
});

/** Stores a new run. */
export const insertRun = (run: RunDocument): Promise<void> => inserts.add(run);

/** Updates a run. Returns false when it is not its worker's any more, under that fence. */
export const updateRun = (update: RunUpdate): Promise<boolean> => updates.add(update);

/** `isLastTry`: no write of it is sent alone any more. */
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

/** Reads the runs once, and judges each update by what its run is now. */
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
 * The command and the read saw different states, as around an election. Hence an outage, after which the
 * holder tries the write again: a defect would end its run.
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
    return wanted === PRESENT ? value !== undefined : isDeepStrictEqual(value, wanted);
  });
}
