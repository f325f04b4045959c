import { RunModel } from '../../../models/run.model.ts';
import {
  findEarlierChild,
  listEarlierParents,
} from '../../../services/runs/engine/children/child-runs.ts';
import { Families } from '../../../services/runs/engine/children/families.ts';
import { childTopic } from '../../../services/runs/engine/mailbox/topics.ts';
import { newChild, onError, onRunsDatabase, queueRun, runOf, storeRun } from './engine.ts';

onRunsDatabase();
afterEach(() => jest.restoreAllMocks());

const told: string[] = [];
const families = new Families({
  cancelListeners: {
    onEnded: (runId) => told.push(`ended ${runId}`),
    onRequested: (runId) => told.push(`requested ${runId}`),
  },
  notificationListeners: {
    onReady: (runId) => told.push(`ready ${runId}`),
    onPermitRequested: (runId) => told.push(`permit ${runId}`),
    onNotified: (runId) => told.push(`notified ${runId}`),
  },
  passToParent: async () => false,
  onError,
});
beforeEach(() => told.splice(0));

const ENDED = { status: 'SUCCESS', familyPending: true } as const;
const RUNNING = { status: 'RUNNING', worker: 'w', hasChildren: true } as const;

/** Stores a parent run with the fields, and a child run of it that has ended. */
async function storeFamily(fields: object) {
  const { _id: parentId } = await queueRun(fields);
  const child = newChild(parentId, ENDED);
  await storeRun(child);
  return { parentId, childId: child._id };
}
const waitsFor = (childId: number) => ({
  status: 'WAITING',
  awaits: [childTopic(childId)],
  wakeAt: new Date(Date.now() + 60_000),
});

test('a sweep notifies the parent of an ended child run, once', async () => {
  const { parentId, childId } = await storeFamily(RUNNING);
  await RunModel.updateOne({ _id: parentId }, { $set: waitsFor(childId), $unset: { worker: 1 } });
  await families.sweep();
  expect(await runOf(parentId)).toMatchObject({ ready: true, wakeups: 1 });
  expect((await runOf(childId)).familyPending).toBeUndefined();
  await families.sweep();
  expect(told).toEqual([`ready ${parentId}`]);
});

test('a parent that is suspended between two tries of the notification is woken', async () => {
  const { parentId, childId } = await storeFamily(RUNNING);
  const update = RunModel.collection.updateOne.bind(RunModel.collection);
  let tries = 0;
  jest.spyOn(RunModel.collection, 'updateOne').mockImplementation(async (...given) => {
    const answer = await update(...given);
    // After the first try the parent is suspended, because it knows of all notifications so far.
    if (++tries === 1)
      await update(
        { _id: parentId } as never,
        { $set: waitsFor(childId), $unset: { worker: 1 } } as never,
      );
    return answer;
  });
  await families.sweep();
  expect(await runOf(parentId)).toMatchObject({ ready: true, wakeups: 1 });
  expect(told).toEqual([`ready ${parentId}`]);
});

test('a sweep cancels the live child runs of an ended run', async () => {
  const { parentId, childId } = await storeFamily({ ...ENDED, hasChildren: true });
  const live = newChild(parentId, { familyPending: true }, '/do/1/child//1/1');
  await storeRun(live);
  await families.sweep();
  expect(told).toEqual([`ended ${live._id}`]);
  expect((await runOf(live._id)).status).toBe('CANCELLED');
  expect((await runOf(childId)).familyPending).toBeUndefined();
});

describe('the child run that a child run of a retry retries', () => {
  /** Stores a chain of retries; where a run has child runs, they are those of the keys. Returns the ids of the runs. */
  async function storeChain(...childKeys: string[][]): Promise<number[]> {
    const ids: number[] = [];
    for (const keys of childKeys) {
      const retryOf = ids.at(-1);
      const { _id } = await queueRun({
        status: 'FAILED',
        ...(keys.length && { hasChildren: true }),
        ...(retryOf && { retryOf }),
      });
      for (const key of keys) await storeRun(newChild(_id, ENDED, key));
      ids.push(_id);
    }
    return ids;
  }

  test('is that of the latest run of the chain that had one at the task', async () => {
    const ids = await storeChain(['a', 'b'], ['a'], [], ['c'], []);
    const parents = await listEarlierParents({ retryOf: ids.at(-1) });
    expect(parents).toEqual([ids[3], ids[1], ids[0]]);
    const parentOf = async (key: string) => (await findEarlierChild(parents, key))?.parent?.runId;
    expect(await parentOf('c')).toBe(ids[3]);
    expect(await parentOf('a')).toBe(ids[1]);
    expect(await parentOf('b')).toBe(ids[0]);
    expect(await parentOf('d')).toBeUndefined();
  });

  test('is sought without a look at runs that had no child runs', async () => {
    const ids = await storeChain(...Array.from({ length: 20 }, () => []));
    const parents = await listEarlierParents({ retryOf: ids.at(-1) });
    const reads = jest.spyOn(RunModel.collection, 'find');
    expect(await findEarlierChild(parents, 'a')).toBeNull();
    expect(reads).not.toHaveBeenCalled();
  });
});
