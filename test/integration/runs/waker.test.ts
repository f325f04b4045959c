import { databaseCommand } from '../../../mixins/database/commands.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { MAX_WAKE_BATCH, Waker } from '../../../services/runs/engine/claims/waker.ts';
import { captureCommands, examinedBy } from '../../helpers/captured-commands.ts';
import { waitFor } from '../../helpers/wait.ts';
import { newRuns, onRunsDatabase } from './engine.ts';

databaseCommand.subscribe(() => undefined); // so that the driver tells of its commands
onRunsDatabase();

const DAY_MS = 24 * 60 * 60 * 1_000;
let waker: Waker;
const onWoken = jest.fn();
const onError = jest.fn();
beforeEach(() => {
  jest.clearAllMocks();
  waker = new Waker({ onWoken, onError });
});
afterEach(() => {
  waker.stop();
  expect(onError).not.toHaveBeenCalled();
});

/** Stores runs that wait, each until a time from now by the database's clock. */
async function storeWaiting(count: number, msOf: (n: number) => number): Promise<void> {
  const now = databaseClock.now();
  const runs = newRuns(count).map(({ ready: _, ...run }, n): RunDocument => {
    return { ...run, status: 'WAITING', fence: 1, wakeAt: new Date(now + msOf(n)) };
  });
  await RunModel.insertMany(runs, { lean: true });
}

const countReady = () => RunModel.countDocuments({ ready: true, readyAt: { $gt: new Date(0) } });

/** The commands of one pass of the waker. */
async function commandsOfPass() {
  const captured = captureCommands();
  try {
    await waker.wakeDueRuns();
  } finally {
    captured.stop();
  }
  return captured.all;
}

test('many due runs are woken in bounded batches, from the earliest on', async () => {
  await storeWaiting(5 * MAX_WAKE_BATCH, (n) => n - 1_000_000);
  await storeWaiting(3, () => DAY_MS);
  const update = jest.spyOn(RunModel, 'updateMany');
  await waker.wakeDueRuns();
  const sizes = update.mock.calls.map(([filter]) => Object(filter)._id.$in.length as number);
  update.mockRestore();
  expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_WAKE_BATCH);
  expect(onWoken).toHaveBeenCalledTimes(sizes.length);
  expect(await countReady()).toBe(5 * MAX_WAKE_BATCH);
  expect(await RunModel.countDocuments({ wakeAt: { $gt: new Date(0) } })).toBe(3);
  const ready = await RunModel.find({ ready: true }).sort({ readyAt: 1, _id: 1 }).lean();
  expect(ready.map(({ _id }) => _id)).toEqual(
    ready.map(({ _id }) => _id).toSorted((a, b) => a - b),
  );
});

test('the timer wakes the next runs when they are due', async () => {
  await storeWaiting(30, (n) => 10 * n);
  await waker.wakeDueRuns();
  await waitFor('all runs', async () => (await countReady()) === 30);
  const woken = await RunModel.find().sort({ _id: 1 }).lean();
  expect(woken.every(({ readyAt, wakeAt }) => readyAt && !wakeAt)).toBe(true);
});

test('the database refuses to wake a run early, whatever this process takes the time for', async () => {
  await storeWaiting(1, () => DAY_MS);
  const now = jest.spyOn(databaseClock, 'now').mockImplementation(() => Date.now() + 2 * DAY_MS);
  await waker.wakeDueRuns();
  now.mockRestore();
  expect(onWoken).not.toHaveBeenCalled();
  expect(await countReady()).toBe(0);
});

test('passes that meet are one pass', async () => {
  await storeWaiting(10, () => -1_000);
  const update = jest.spyOn(RunModel, 'updateMany');
  await Promise.all([waker.wakeDueRuns(), waker.wakeDueRuns()]);
  expect(await countReady()).toBe(10);
  expect(update.mock.calls.length).toBe(onWoken.mock.calls.length);
  update.mockRestore();
});

test('a pass costs the same among a thousand waiting runs and among twenty thousand', async () => {
  const costs = [];
  for (const more of [1_000, 19_000]) {
    await storeWaiting(more, (n) => DAY_MS + n);
    await storeWaiting(20, () => -1_000);
    const commands = await commandsOfPass();
    const examined = await Promise.all(commands.map(examinedBy)); // of the state after the pass
    costs.push([commands.map(({ name }) => name), examined]);
    for (const { keys, documents } of examined) {
      expect(keys).toBeLessThanOrEqual(MAX_WAKE_BATCH + 1);
      expect(documents).toBeLessThanOrEqual(MAX_WAKE_BATCH + 1);
    }
  }
  expect(costs[1]).toEqual(costs[0]);
});
