import { mongo } from 'mongoose';
import { awaitRun } from '../../../services/runs/await-run.ts';
import type { ShownRun } from '../../../services/runs/show-run.ts';

const runOf = (status: string) => ({ _id: 1, status }) as ShownRun;
const stored = runOf('QUEUED');
const none = Promise.resolve(null);

test('a run that has ended is answered without a read', async () => {
  const ended = Promise.resolve(runOf('SUCCESS'));
  const run = await awaitRun(stored, ended, () => Promise.reject(new Error('not to be read')));
  expect(run.status).toBe('SUCCESS');
});

test('a run that goes on is answered as it is', async () => {
  expect((await awaitRun(stored, none, async () => runOf('RUNNING'))).status).toBe('RUNNING');
});

test('a stored run is answered though the database is away', async () => {
  const away = () => Promise.reject(new mongo.MongoNetworkError('connection closed'));
  expect(await awaitRun(stored, none, away)).toBe(stored);
});

test('a stored run is answered though the database does not answer', async () => {
  expect(await awaitRun(stored, none, () => new Promise(() => undefined))).toBe(stored);
});

test('a defect is not hidden', async () => {
  const defect = () => Promise.reject(new TypeError('a defect'));
  await expect(awaitRun(stored, none, defect)).rejects.toThrow('a defect');
});
