import { RunModel } from '../../../models/run.model.ts';
import {
  type Member,
  shareOfLimit,
  WorkspaceLimit,
} from '../../../services/runs/engine/admission/workspace-limit.ts';
import { Heartbeat } from '../../../services/runs/engine/lease/heartbeat.ts';
import { waitFor } from '../../helpers/wait.ts';
import { callsTo, newRun, newRuns, onRunsDatabase, shareOf, workerOf } from './engine.ts';
import { numbersOf } from './numbers.ts';

const fixture = onRunsDatabase();

const sharesOf = (limit: number, members: readonly Member[], tenant: string) =>
  members.map(({ id }) => shareOfLimit({ limit, members, tenant }, id));
const sum = (all: number[]) => all.reduce((a, b) => a + b, 0);

test('the shares of all workers add up to the limit, and follow their capacities', () => {
  const random = numbersOf(1);
  for (let n = 0; n < 500; n++) {
    const members = Array.from({ length: 1 + random(20) }, (_, at) => ({
      id: `worker-${String(at).padStart(2, '0')}`,
      capacity: 2 + random(200),
    }));
    const limit = 1 + random(1_000);
    const capacity = sum(members.map((member) => member.capacity));
    const shares = sharesOf(limit, members, `workspace:${random(10_000)}`);
    expect(sum(shares)).toBe(limit);
    for (const [at, share] of shares.entries()) {
      const exact = (limit * (members[at]?.capacity ?? 0)) / capacity;
      expect(Math.abs(share - exact)).toBeLessThan(1);
    }
  }
});

test('a limit below the number of workers goes to other workers for other workspaces', () => {
  const members = ['a', 'b', 'c'].map((id) => ({ id, capacity: 48 }));
  const totals = [0, 0, 0];
  for (let workspaceId = 1; workspaceId <= 300; workspaceId++) {
    const shares = sharesOf(1, members, `workspace:${workspaceId}`);
    expect(sum(shares)).toBe(1);
    for (const [at, share] of shares.entries()) totals[at] = (totals[at] ?? 0) + share;
  }
  expect(Math.min(...totals)).toBeGreaterThan(50);
});

test('a worker holds its share of a workspace at most, and more once it is alone', () => {
  let members = ['me', 'other'].map((id) => ({ id, capacity: 4 }));
  const limit = new WorkspaceLimit({ limit: 2, members: () => members, id: () => 'me' });
  limit.add(shareOf(1), 1);
  expect([limit.mayTake(shareOf(1)), limit.mayTake(shareOf(2))]).toEqual([false, true]);
  members = members.slice(0, 1);
  expect(limit.mayTake(shareOf(1))).toBe(true);
  limit.add(shareOf(1), 1);
  expect(limit.mayTake(shareOf(1))).toBe(false);
  limit.add(shareOf(1), -1);
  expect(limit.mayTake(shareOf(1))).toBe(true);
});

describe('two workers that know each other', () => {
  const LIMIT = 3;
  const WORKSPACES = [1, 2, 3];
  const RUNS = 7;

  const runningOf = (workspaceId: number) =>
    RunModel.countDocuments({ workspaceId, status: 'RUNNING' });

  async function startBoth() {
    const heartbeats = [new Heartbeat(8), new Heartbeat(8)];
    const options = { plan: callsTo('/a'), concurrency: 8, workspaceConcurrency: LIMIT };
    const [first, second] = await Promise.all(
      heartbeats.map((heartbeat) =>
        fixture.started(workerOf({ ...options, send: fixture.hang, heartbeat })),
      ),
    );
    if (!first || !second) throw new Error('there are two workers');
    await waitFor('each other', () => heartbeats.every(({ members }) => members.length === 2));
    return { first, second, heartbeat: heartbeats[0] };
  }

  test('never hold more runs of a workspace than its limit', async () => {
    const { first, second } = await startBoth();
    const runs = WORKSPACES.flatMap((workspaceId) =>
      Array.from({ length: RUNS }, () => newRun({ workspaceId })),
    );
    await RunModel.insertMany(runs, { lean: true });
    const isAnyLive = async () => (await RunModel.exists({ live: true })) !== null;
    let most = 0;
    while (await isAnyLive()) {
      for (const worker of [first, second]) worker.wake();
      await waitFor('calls', async () => fixture.hanging > 0 || !(await isAnyLive()));
      most = Math.max(most, ...(await Promise.all(WORKSPACES.map(runningOf))));
      fixture.answerCalls();
    }
    expect(most).toBeLessThanOrEqual(LIMIT);
    expect(await RunModel.countDocuments({ status: 'SUCCESS' })).toBe(runs.length);
  });

  test('leave the whole limit of a workspace to the one that stays', async () => {
    const { first, second, heartbeat } = await startBoth();
    await second.stop();
    await waitFor('the leave', () => heartbeat?.members.length === 1);
    await RunModel.insertMany(newRuns(RUNS), { lean: true });
    first.wake();
    await waitFor('the whole limit', async () => (await runningOf(1)) === LIMIT);
  });
});
