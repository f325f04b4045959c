import { RunModel } from '../../../models/run.model.ts';
import { Families } from '../../../services/runs/engine/children/families.ts';
import { childTopic } from '../../../services/runs/engine/mailbox/topics.ts';
import { newRun, onRunsDatabase, runOf, storeRun } from './engine.ts';

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
  onError: (error) => {
    throw error;
  },
});
beforeEach(() => told.splice(0));

const ENDED = { status: 'SUCCESS', completedAt: new Date(), familyPending: true } as const;
const RUNNING = { status: 'RUNNING', worker: 'w', hasChildren: true } as const;

/** Stores a parent run with the fields, and a child run of it that has ended. */
async function storeFamily(fields: object) {
  const { ready: _, ...parent } = newRun(fields);
  await storeRun(parent);
  const { live, ready, ...child } = newRun(ENDED);
  const place = { runId: parent._id, key: '/do/0/child//1/1', depth: 1 };
  await storeRun({ ...child, isChild: true, parent: place });
  return { parentId: parent._id, childId: child._id };
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
  await RunModel.updateOne({ _id: parentId }, { $unset: { live: 1 } });
  const { completedAt: _, ...live } = newRun({
    isChild: true,
    familyPending: true,
    parent: { runId: parentId, key: '/do/1/child//1/1', depth: 1 },
  });
  await storeRun(live);
  await families.sweep();
  expect(told).toEqual([`ended ${live._id}`]);
  expect((await runOf(live._id)).status).toBe('CANCELLED');
  expect((await runOf(childId)).familyPending).toBeUndefined();
});
