import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { WorkerModel } from '../../../models/worker.model.ts';
import { Admission } from '../../../services/runs/engine/admission/admission.ts';
import { MemoryBudget } from '../../../services/runs/engine/admission/memory-budget.ts';
import { Reservation } from '../../../services/runs/engine/admission/reservation.ts';
import { Slots } from '../../../services/runs/engine/admission/slots.ts';
import {
  MAX_SNAPSHOT_RUNS,
  ReadySnapshot,
} from '../../../services/runs/engine/claims/ready-snapshot.ts';
import {
  RunStarter,
  type RunStarterOptions,
} from '../../../services/runs/engine/claims/run-starter.ts';
import type { EndedRun } from '../../../services/runs/engine/execution/jobs.ts';
import { Heartbeat } from '../../../services/runs/engine/lease/heartbeat.ts';
import { IdleRuns } from '../../../services/runs/engine/lease/idle-runs.ts';
import { ownIdentity } from '../../../services/runs/engine/lease/process-identity.ts';
import { notifyRun } from '../../../services/runs/engine/mailbox/notify-run.ts';
import { RunEndWaiters } from '../../../services/runs/engine/run-end-waiters.ts';
import type { RunWorker } from '../../../services/runs/engine/worker.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  callsTo,
  endOf,
  newRun,
  newRuns,
  onRunsDatabase,
  queueRun,
  runOf,
  type Send,
  silentNotifications,
  storeRun,
  workerOf,
} from './engine.ts';

const fixture = onRunsDatabase();
const { started, hang } = fixture;
afterEach(() => jest.restoreAllMocks());

/** Starts of this worker wait until the claims under way have ended, however busy the machine is. */
const readyWorker = (options: Partial<Parameters<typeof workerOf>[0]> = {}) =>
  started(workerOf({ plan: callsTo('/a'), claimsTimeoutMs: 100_000, ...options }));
/** Starts of this worker wait for claims as long as in production. */
const impatientWorker: typeof readyWorker = (options) =>
  readyWorker({ claimsTimeoutMs: undefined, ...options });
const start = async (worker: RunWorker, workspaceId: number, owner = workspaceId) => {
  const run = newRun({ workspaceId, shareOwner: `person:${owner}` });
  return (await worker.store(run, storeRun)).status;
};
const calling = { send: hang };
/** The options of a worker whose calls hang; `keys` has the key of each call. */
function recordKeys() {
  const keys: string[] = [];
  const send: Send = ({ ownHeaders }) => {
    keys.push(String(ownHeaders?.['idempotency-key']));
    return hang();
  };
  return { keys, send };
}
/** Starts runs of one workspace until it has all that it may. */
const fillWorkspace = async (worker: RunWorker) =>
  expect([await start(worker, 1), await start(worker, 1)]).toEqual(['RUNNING', 'RUNNING']);
/** Calls `meet` in place of each single claim, which then finds no run. */
const interceptClaims = (meet: () => Promise<unknown>) =>
  jest
    .spyOn(RunModel, 'findOneAndUpdate')
    .mockImplementation((() => ({ lean: () => meet().then(() => null) })) as never);

test('a run with room begins with its first write, and only its own process hears of it', async () => {
  const ready: unknown[] = [];
  const ended: EndedRun[] = [];
  const worker = await started(
    workerOf({
      plan: callsTo('/a'),
      announceReady: (runId) => ready.push(runId ?? 'any'),
      announceEnd: (end) => ended.push(end),
    }),
  );
  const first = await queueRun();
  worker.wake();
  await waitFor('an end', () => ended.length === 1);
  const run = await worker.store(newRun(), storeRun);
  expect(run).toMatchObject({ status: 'RUNNING', worker: worker.id, fence: 1 });
  expect(run).not.toHaveProperty('ready');
  expect(Number(run.deadlineAt) - Number(run.startedAt)).toBe(run.timeoutMs);
  await waitFor('its end', () => ended.length === 2);
  expect(ended).toMatchObject([
    { runId: first._id, isFromHere: false },
    { runId: run._id, isFromHere: true, run: { status: 'SUCCESS', startedAt: run.startedAt } },
  ]);
  const { status, output, completedAt, fence } = await runOf(run._id);
  expect(ended[1]?.run).toMatchObject({ status, output, completedAt });
  expect([fence, ready]).toEqual([1, []]);
});

test('starts at once never take more than the room that there is', async () => {
  const worker = await readyWorker({ ...calling, concurrency: 2 });
  const statuses = await Promise.all([1, 2, 3, 4].map((owner) => start(worker, owner)));
  expect(statuses).toEqual(['RUNNING', 'RUNNING', 'QUEUED', 'QUEUED']);
});

test('a start passes no run of its owner that waits, and waits behind no other owner', async () => {
  const announced: unknown[] = [];
  const announceReady = (runId?: number) => announced.push(runId);
  const worker = await readyWorker({ ...calling, announceReady });
  await fillWorkspace(worker);
  expect(await start(worker, 1)).toBe('QUEUED'); // the workspace has all that it may
  await waitFor('the news', () => announced.length === 1); // others may have room
  expect(await start(worker, 2, 1)).toBe('QUEUED');
  expect(await start(worker, 3)).toBe('RUNNING');
});

test('a start passes no ready run of which this process was told', async () => {
  const worker = await readyWorker(calling);
  const waiting = await queueRun({ workspaceId: 1 });
  worker.wake();
  let isClaimed = false;
  const { status } = await worker.store(newRun(), async (run) => {
    isClaimed = (await runOf(waiting._id)).worker === worker.id;
    await storeRun(run);
  });
  // A poll may begin claims again at the end of the wait: then the start is stored as ready, and passes no run.
  expect(isClaimed || status === 'QUEUED').toBe(true);
  await waitFor('both', async () => (await RunModel.countDocuments({ worker: worker.id })) === 2);
});

test('while ready runs are too many to list, a start takes its turn', async () => {
  const worker = await readyWorker({ ...calling, concurrency: 4 });
  await RunModel.insertMany(newRuns(MAX_SNAPSHOT_RUNS + 10), { lean: true });
  worker.wake();
  await waitFor('claims', async () => (await RunModel.countDocuments({ worker: worker.id })) === 2);
  const run = newRun({ workspaceId: 2 });
  expect((await worker.store(run, storeRun)).status).toBe('QUEUED');
  await waitFor('its claim', async () => (await runOf(run._id)).worker === worker.id);
});

test('a start waits no longer for claims that hang', async () => {
  const worker = await impatientWorker();
  const take = jest.spyOn(ReadySnapshot, 'take').mockImplementation(async () => {
    await hang();
    return new ReadySnapshot([]);
  });
  worker.wake();
  await waitFor('the claims', () => take.mock.calls.length > 0);
  expect(await start(worker, 2)).toBe('QUEUED');
});

test('a worker that stops or is not listed stores runs for others', async () => {
  const worker = workerOf({ plan: callsTo('/a') });
  expect(await start(worker, 1)).toBe('QUEUED');
  const stopping = await readyWorker();
  stopping.drain();
  expect(await start(stopping, 2)).toBe('QUEUED');
});

test('a start whose write fails gives its room back, and what it stored goes on', async () => {
  const worker = await readyWorker({ ...calling, concurrency: 2 });
  const lost = newRun({ workspaceId: 1 });
  const answerLost = async (run: typeof lost) => {
    await storeRun(run);
    throw new Error('the answer was lost');
  };
  await expect(worker.store(lost, answerLost)).rejects.toThrow('the answer was lost');
  expect((await runOf(lost._id)).worker).toBe(worker.id); // for the sweep, as in the test that follows
  expect([await start(worker, 2), await start(worker, 3)]).toEqual(['RUNNING', 'RUNNING']);
});

test('a run whose write is answered after its claim is begun once', async () => {
  const { keys, send } = recordKeys();
  const worker = await readyWorker({ send });
  await fillWorkspace(worker);
  const answer = Promise.withResolvers<void>();
  const runs = [newRun(), newRun()];
  const storing = runs.map((run) =>
    worker.store(run, async () => {
      await storeRun(run);
      await answer.promise;
    }),
  );
  const ids = runs.map(({ _id }) => _id);
  await waitFor('the writes', async () => (await RunModel.countDocuments({ _id: ids })) === 2);
  await waitFor('the first calls', () => keys.length === 2);
  fixture.answerCalls();
  worker.wake();
  await waitFor('the calls', () => keys.length === 4);
  answer.resolve();
  await Promise.all(storing);
  expect(await start(worker, 2)).toBe('RUNNING');
  await waitFor('one call more', () => keys.length === 5);
  expect(new Set(keys).size).toBe(5);
});

test('a run that this process works on is not begun again, whatever a list says', async () => {
  const { keys, send } = recordKeys();
  const worker = await readyWorker({ send, concurrency: 16 });
  const busy = newRun({ workspaceId: 1 });
  await worker.store(busy, storeRun);
  await queueRun({ workspaceId: 2 });
  const take = ReadySnapshot.take;
  jest.spyOn(ReadySnapshot, 'take').mockImplementationOnce(async () => {
    const snapshot = await take();
    snapshot.add(busy);
    return snapshot;
  });
  worker.wake();
  await waitFor('its call', () => keys.length >= 2);
  expect(await start(worker, 3)).toBe('RUNNING');
  await waitFor('one call more', () => keys.length >= 3);
  expect([keys.length, new Set(keys).size]).toEqual([3, 3]);
});

test('a start passes no older run of its owner that is being written', async () => {
  const worker = await readyWorker(calling);
  await fillWorkspace(worker);
  const answer = Promise.withResolvers<void>();
  const older = newRun();
  const storing = worker.store(older, async () => {
    await answer.promise;
    await storeRun(older);
  });
  await waitFor('the calls', () => fixture.hanging === 2);
  fixture.answerCalls();
  await waitFor('room', async () => !(await RunModel.exists({ worker: worker.id })));
  expect([await start(worker, 1), await start(worker, 2)]).toEqual(['QUEUED', 'RUNNING']);
  answer.resolve();
  expect((await storing).status).toBe('QUEUED');
  await waitFor('its claim', async () => (await runOf(older._id)).worker === worker.id);
});

test('a start passes no claim that hangs, and other processes hear of its run', async () => {
  const announced: unknown[] = [];
  const worker = await impatientWorker({ announceReady: (runId) => announced.push(runId) });
  const claim = interceptClaims(hang);
  await queueRun();
  worker.wake();
  await waitFor('the claim', () => claim.mock.calls.length > 0);
  const run = await worker.store(newRun(), storeRun);
  expect(run.status).toBe('QUEUED');
  await waitFor('the news', () => announced.includes(run._id));
});

describe('a run that a notification wakes', () => {
  const WAITS: Partial<RunDocument> = {
    status: 'WAITING',
    suspended: true,
    fence: 1,
    awaits: ['signal:go'],
    wakeAt: new Date(Date.now() + 600_000),
  };
  const notifyOn = (worker: RunWorker, run: RunDocument) =>
    notifyRun(
      { runId: run._id, topic: 'signal:go', wake: (writes) => worker.wakeRun(run, writes) },
      silentNotifications,
    );

  test('is claimed by the same write where it may go on here, and no other process hears of it', async () => {
    const announced: unknown[] = [];
    const announceReady = (runId?: number) => announced.push(runId);
    const worker = await readyWorker({ ...calling, announceReady });
    const waiting = await queueRun({ ...WAITS, startedAt: new Date() });
    const claims = jest.spyOn(RunModel, 'findOneAndUpdate');
    expect(await notifyOn(worker, waiting)).toBe(true);
    await waitFor('its call', () => fixture.hanging === 1);
    const run = await runOf(waiting._id);
    expect(run).toMatchObject({ status: 'RUNNING', worker: worker.id, fence: 2, wakeups: 1 });
    for (const field of ['ready', 'readyAt', 'wakeAt', 'suspended'])
      expect(run).not.toHaveProperty(field);
    expect([claims.mock.calls, announced]).toEqual([[], []]);
  });

  test('is ready where its workspace has all that it may, and the others hear of it', async () => {
    const announced: unknown[] = [];
    const announceReady = (runId?: number) => announced.push(runId);
    const worker = await readyWorker({ ...calling, announceReady });
    await fillWorkspace(worker);
    const waiting = await queueRun({ ...WAITS, startedAt: new Date() });
    expect(await notifyOn(worker, waiting)).toBe(true);
    expect(await runOf(waiting._id)).toMatchObject({ status: 'WAITING', ready: true, fence: 1 });
    await waitFor('the news', () => announced.includes(waiting._id));
  });

  test('takes no room where it does not wait', async () => {
    const worker = await readyWorker({ ...calling, concurrency: 2 });
    const held = await queueRun({ status: 'RUNNING', worker: 'another', fence: 1, workspaceId: 2 });
    expect(await notifyOn(worker, held)).toBe(true);
    expect(await runOf(held._id)).toMatchObject({ worker: 'another', fence: 1, wakeups: 1 });
    expect([await start(worker, 1), await start(worker, 3)]).toEqual(['RUNNING', 'RUNNING']);
  });
});

test('a claim that fails is not repeated at once', async () => {
  const failing = interceptClaims(() => Promise.reject(new Error('refused')));
  const worker = await readyWorker(calling);
  await queueRun();
  worker.wake();
  await waitFor('the claim', () => failing.mock.calls.length > 0);
  for (let looks = 0; looks < 10; looks++) await RunModel.exists({ ready: true });
  expect(failing.mock.calls.length).toBeLessThan(5); // the poll may have come meanwhile
});

test('while it looks at the others for the first time a worker claims nothing', async () => {
  const heartbeat = new Heartbeat(4);
  const worker = workerOf({ plan: callsTo('/a'), heartbeat });
  const looks = jest.spyOn(ReadySnapshot, 'take');
  jest.spyOn(heartbeat, 'watch').mockImplementationOnce(async () => {
    worker.wake();
    expect(looks).not.toHaveBeenCalled();
    return 0;
  });
  await started(worker);
  expect(looks).toHaveBeenCalled();
});

test('a worker that lost its name claims its share of a limit only', async () => {
  const others = [1, 2].map(() => new Heartbeat(4, { host: null, pid: 1, pidStart: null }));
  for (const other of others) await other.register();
  const beating = setInterval(() => others.forEach((other) => void other.beat()), 500);
  const worker = workerOf({
    plan: callsTo('/a'),
    ...calling,
    heartbeat: new Heartbeat(16),
    concurrency: 16,
    workspaceConcurrency: 6,
  });
  await started(worker);
  const share = 4; // 16 of 24 slots
  for (let n = 0; n < 10; n++) await queueRun();
  const name = worker.id;
  await WorkerModel.updateOne({ _id: name }, { dead: true });
  const count = () => RunModel.countDocuments({ worker: worker.id });
  await waitFor('claims', async () => worker.id !== name && (await count()) >= share, 15_000);
  expect(await count()).toBe(share);
  clearInterval(beating);
});

test('a run that is held twice without being worked on is made ready', async () => {
  const [lost, busy] = [await queueRun({ worker: 'me' }), await queueRun({ worker: 'me' })];
  const idleRuns = new IdleRuns(() => new Set([busy._id]));
  expect(await idleRuns.takeOver('me')).toBe(0);
  expect(await idleRuns.takeOver('me')).toBe(1);
  expect(await runOf(lost._id)).toMatchObject({ ready: true, fence: 1 });
  expect((await runOf(busy._id)).worker).toBe('me');
});

test('a run that was written under a name which is given up is left to others, and its room is free', async () => {
  const calls: string[] = [];
  const send = async ({ url }: { url: string }) => calls.push(url);
  const worker = await readyWorker({ send, concurrency: 2 });
  const name = worker.id;
  const slowly = async (run: ReturnType<typeof newRun>) => {
    await WorkerModel.updateOne({ _id: name }, { dead: true });
    await waitFor('another name', () => worker.id !== name);
    await storeRun(run);
  };
  const run = await worker.store(newRun(), slowly);
  expect(run.worker).toBe(name);
  await endOf(run, 'SUCCESS');
  expect([calls.length, (await runOf(run._id)).fence]).toEqual([1, 3]); // a loss and a claim more
  await waitFor('its end here', async () => !(await RunModel.exists({ worker: worker.id })));
  expect(await Promise.all([start(worker, 2), start(worker, 3)])).toEqual(['RUNNING', 'RUNNING']);
});

test('a request that waits is answered with the end that was written here', async () => {
  const endedRuns = new RunEndWaiters(() => undefined);
  const run = newRun();
  const waiting = endedRuns.waitForEnd(run._id, 60_000, null);
  expect(endedRuns.resolveRun(run._id, run)).toBe(true);
  expect(await waiting).toBe(run);
  expect(endedRuns.resolveRun(run._id, run)).toBe(false);
  const other = endedRuns.waitForEnd(run._id, 60_000, null);
  endedRuns.resolveRun(run._id);
  expect(await other).toBeNull();
  endedRuns.close();
});

test('a request waits for no run whose write fails', async () => {
  const endedRuns = new RunEndWaiters(() => undefined);
  const awaited = { runId: 1, ms: 60_000, nodeID: null };
  const failing = endedRuns.storeAndWait(awaited, () => Promise.reject(new Error('away')));
  await expect(failing).rejects.toThrow('away');
  expect(endedRuns.resolveRun(1)).toBe(false);
  const { stored, ended } = await endedRuns.storeAndWait(awaited, async () => 'stored');
  expect([stored, endedRuns.resolveRun(1), await ended]).toEqual(['stored', true, null]);
  endedRuns.close();
});

test('a worker whose name others may have given up claims no start', async () => {
  let now = 0;
  const worker = await readyWorker({ heartbeat: new Heartbeat(4, ownIdentity(), () => now) });
  now = 4_001;
  expect(await start(worker, 1)).toBe('QUEUED');
});

/** A starter with room for one run. */
function starterOf({
  loop,
  ...options
}: { loop: object } & Partial<Omit<RunStarterOptions, 'loop'>>) {
  return new RunStarter({
    claims: { isSeeking: false, mayPassReady: () => true } as never,
    loop: loop as never,
    admission: new Admission({
      slots: new Slots({ concurrency: 1 }),
      memory: new MemoryBudget(),
    }),
    permits: { request: () => undefined },
    worker: () => 'me',
    begin: () => undefined,
    announceReady: () => undefined,
    ...options,
  });
}

test('a start waits for the claims under way', async () => {
  const pass = Promise.withResolvers<true>();
  const loop = { isClaiming: true, waitForPasses: () => pass.promise };
  const storing = starterOf({ loop }).store(newRun(), async () => undefined);
  loop.isClaiming = false;
  pass.resolve(true);
  expect(await storing).toMatchObject({ status: 'RUNNING', worker: 'me', fence: 1 });
});

test.each([
  [4_000, 'begins'],
  [4_001, 'is left to the sweep, which may be about to take it over'],
])('a start whose write takes %i ms %s', async (ms) => {
  let now = 0;
  const begun: RunDocument[] = [];
  const end = jest.spyOn(Reservation.prototype, 'release');
  const starter = starterOf({
    loop: { isClaiming: false },
    begin: ({ run }) => void begun.push(run),
    now: () => now,
  });
  const run = await starter.store(newRun(), async () => {
    now += ms;
  });
  expect(run).toMatchObject({ worker: 'me', fence: 1 });
  expect([begun.length, end.mock.calls.length]).toEqual(ms > 4_000 ? [0, 1] : [1, 0]);
});
