import { RunModel } from '../../../models/run.model.ts';
import { Claims } from '../../../services/runs/worker/claim.ts';
import { Slots } from '../../../services/runs/worker/slots.ts';
import { onRunsDatabase, queueRun } from './engine.ts';

onRunsDatabase();

const claims = (perWorkspace = 100, capacity = 16, slots = new Slots(100)) =>
  new Claims(() => 'me', { perWorkspace, capacity: () => capacity, here: [slots] });

test('workspaces take turns, however many runs one of them has', async () => {
  for (let n = 0; n < 6; n++) await queueRun({ workspaceId: 7 });
  await queueRun({ workspaceId: 8 });
  await queueRun({ workspaceId: 9 });
  await queueRun({ workspaceId: 9 });
  const turns = claims();
  const order: (number | undefined)[] = [];
  for (let n = 0; n < 9; n++) order.push((await turns.next())?.workspaceId);
  expect(order).toEqual([7, 8, 9, 7, 9, 7, 7, 7, 7]);
  expect(await turns.next()).toBeNull();
});

test('in a workspace the oldest run is first: what has begun goes on before what is queued', async () => {
  const begun = await queueRun({
    status: 'WAITING',
    startedAt: new Date(5),
    deadlineAt: new Date(9),
  });
  await queueRun();
  const first = await claims().next();
  expect(first).toMatchObject({
    _id: begun._id,
    status: 'RUNNING',
    worker: 'me',
    fence: 1,
    startedAt: new Date(5),
    deadlineAt: new Date(9),
  });
  expect(first).not.toHaveProperty('ready');
});

test('a first claim starts the run and its timeout', async () => {
  await queueRun({ timeoutMs: 5_000 });
  const before = Date.now();
  const run = await claims().next();
  expect(Number(run?.deadlineAt) - Number(run?.startedAt)).toBe(5_000);
  expect(Number(run?.startedAt)).toBeGreaterThanOrEqual(before);
  expect(Number(run?.startedAt)).toBeLessThanOrEqual(Date.now());
});

test('a workspace has no more runs under way than it may, and holds up nobody else', async () => {
  for (let n = 0; n < 4; n++) await queueRun({ workspaceId: 1 });
  await queueRun({ workspaceId: 2 });
  const limited = claims(2);
  const order: (number | undefined)[] = [];
  for (let n = 0; n < 4; n++) order.push((await limited.next())?.workspaceId);
  expect(order).toEqual([1, 2, 1, undefined]);
  await RunModel.updateOne({ workspaceId: 1, worker: 'me' }, { status: 'WAITING' });
  expect((await limited.next())?.workspaceId).toBe(1); // those that wait do not count
});

test('a run that its worker lost does not stand in its own way', async () => {
  await queueRun({ status: 'RUNNING' });
  expect(await claims(1).next()).not.toBeNull();
});
