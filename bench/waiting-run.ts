import type { Person } from '../test/helpers/people.ts';
import { startRun } from '../test/helpers/runs.ts';
import { waitFor } from '../test/helpers/wait.ts';
import type { StoredDocument } from './document-copies.ts';
import type { StoredRuns } from './stored-runs.ts';

/** The flow of copied runs. Its wait is over when a copy wakes, so that the copy goes on to its end. */
export const SHORT_WAIT =
  'do:\n  - rest: { wait: { seconds: 3 } }\n  - done: { set: { done: true } }\n';

/**
 * Starts a run of `SHORT_WAIT`, and returns it as the database has it while it waits, once it has ended: without what the
 * background still has to do for it, which it would do for each copy.
 */
export async function waitingRunOf(
  owner: Person,
  flowId: number,
  runs: StoredRuns,
): Promise<StoredDocument> {
  await startRun(owner, flowId);
  const waiting = await waitFor('a waiting run', () =>
    runs.collection.findOne({ status: 'WAITING', worker: { $exists: false } }),
  );
  await waitFor('its end', () => runs.collection.findOne({ _id: waiting._id, status: 'SUCCESS' }));
  const { uncounted, eventsPending, ...copied } = waiting;
  return { ...copied, _id: waiting._id, outbox: [] };
}
