import { RunModel } from '../../../models/run.model.ts';
import { Heartbeat } from '../../../services/runs/engine/lease/heartbeat.ts';
import { waitFor } from '../../helpers/wait.ts';
import { callsTo, newRun, onRunsDatabase, workerOf } from './engine.ts';

const fixture = onRunsDatabase();
const LIMIT = 3;
const WORKSPACES = [1, 2, 3];
const RUNS = 7;

const runningOf = (workspaceId: number) =>
  RunModel.countDocuments({ workspaceId, status: 'RUNNING' });

test('two workers that know each other never hold more runs of a workspace than its limit', async () => {
  const heartbeats = [new Heartbeat(8), new Heartbeat(8)];
  const send = async () => {
    await fixture.hang();
    return {};
  };
  const options = { plan: callsTo('/a'), send, concurrency: 8, workspaceConcurrency: LIMIT };
  const workers = [];
  for (const heartbeat of heartbeats)
    workers.push(await fixture.started(workerOf({ ...options, heartbeat })));
  await waitFor('each other', () => heartbeats.every(({ members }) => members.length === 2));
  const runs = WORKSPACES.flatMap((workspaceId) =>
    Array.from({ length: RUNS }, () => newRun({ workspaceId })),
  );
  await RunModel.insertMany(runs, { lean: true });
  const most = new Map<number, number>();
  while (await RunModel.exists({ live: true })) {
    for (const worker of workers) worker.wake();
    await waitFor(
      'calls',
      async () => fixture.hanging > 0 || !(await RunModel.exists({ live: true })),
    );
    for (const workspaceId of WORKSPACES) {
      const running = await runningOf(workspaceId);
      most.set(workspaceId, Math.max(running, most.get(workspaceId) ?? 0));
    }
    fixture.answerCalls();
  }
  expect(Math.max(...most.values())).toBeLessThanOrEqual(LIMIT);
  expect(await RunModel.countDocuments({ status: 'SUCCESS' })).toBe(runs.length);
});

test('a worker alone takes over the whole limit of a workspace', async () => {
  const heartbeats = [new Heartbeat(8), new Heartbeat(8)];
  const options = { plan: callsTo('/a'), concurrency: 8, workspaceConcurrency: LIMIT };
  const send = async () => {
    await fixture.hang();
    return {};
  };
  const [first, second] = heartbeats.map((heartbeat) => workerOf({ ...options, send, heartbeat }));
  if (!first || !second) throw new Error('there are two workers');
  await fixture.started(first);
  await second.start();
  await waitFor('each other', () => heartbeats.every(({ members }) => members.length === 2));
  await second.stop();
  await waitFor('the leave', () => heartbeats[0]?.members.length === 1);
  await RunModel.insertMany(
    Array.from({ length: RUNS }, () => newRun()),
    { lean: true },
  );
  first.wake();
  await waitFor('the whole limit', async () => (await runningOf(1)) === LIMIT);
});
