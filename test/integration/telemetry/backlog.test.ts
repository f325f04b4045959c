import { Registry } from 'prom-client';
import { RunModel } from '../../../models/run.model.ts';
import { WorkerModel } from '../../../models/worker.model.ts';
import { Waker } from '../../../services/runs/engine/claims/waker.ts';
import { Heartbeat } from '../../../services/runs/engine/lease/heartbeat.ts';
import { ownIdentity } from '../../../services/runs/engine/lease/process-identity.ts';
import { takeOverRuns } from '../../../services/runs/engine/lease/takeover.ts';
import { getBacklog } from '../../../services/runs/live-runs.ts';
import { gaugeBacklog } from '../../../telemetry/gauges.ts';
import { countDiagnosticEvents } from '../../../telemetry/metrics.ts';
import { useDatabase } from '../../helpers/database.ts';
import { waitFor } from '../../helpers/wait.ts';
import { queueRun } from '../runs/engine.ts';

let registry: Registry;

const database = useDatabase([RunModel]);
beforeEach(async () => {
  await RunModel.deleteMany({});
  registry = new Registry();
  gaugeBacklog(registry, getBacklog);
});
afterEach(() => void database.mongo.process.kill('SIGCONT'));

const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

/** The value of a metric in one scrape, or undefined when the metric is missing. */
async function scraped(line: string): Promise<number | undefined> {
  const lines = (await registry.metrics()).split('\n');
  const found = lines.find((one) => one.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}
const AGE = 'flow_run_queue_age_seconds';

test('a worker that stood still is counted once, by whoever took its runs over', async () => {
  const told = countDiagnosticEvents();
  let now = 0;
  const [still, first, second] = [1, 2, 3].map(() => new Heartbeat(1, ownIdentity(), () => now));
  for (const one of [still, first, second]) await one?.register();
  for (; now <= 6_000; now += 1_000) {
    await Promise.all([first, second].map(async (one) => (await one?.beat()) && one?.watch()));
  }
  expect(await WorkerModel.exists({ _id: still?.id })).toBeNull();
  expect(await told.metrics()).toMatch(/^flow_workers_lost_total 1$/m);
  await first?.deregister();
  await second?.watch();
  expect(await told.metrics()).toMatch(/^flow_workers_lost_total 1$/m);
});

describe('the figures of runs', () => {
  it('tell at the first scrape since when a queued run waits, and at the next that it is gone', async () => {
    await queueRun({ createdAt: ago(300) });
    await queueRun({ createdAt: ago(20) });
    expect(await scraped(AGE)).toBeGreaterThanOrEqual(300);
    expect(await scraped('flow_runs_live{status="QUEUED"}')).toBe(2);
    await RunModel.deleteMany({});
    expect(await scraped(AGE)).toBe(0);
  });

  it('count a run that is due after a wait as waiting, from then on', async () => {
    const { _id } = await queueRun({
      createdAt: ago(3_000),
      status: 'WAITING',
      wakeAt: ago(2_000),
    });
    await RunModel.updateOne({ _id }, { $unset: { ready: 1 } });
    expect(await scraped(AGE)).toBe(0);
    const waker = new Waker({ onWoken: () => undefined, onError: () => undefined });
    await waker.wakeDueRuns();
    waker.stop();
    await RunModel.updateOne({ _id, readyAt: { $exists: true } }, { readyAt: ago(100) });
    const age = await scraped(AGE);
    expect(age).toBeGreaterThanOrEqual(100);
    expect(age).toBeLessThan(2_000);
  });

  it('count a run that a worker lost as waiting, from then on', async () => {
    const { _id } = await queueRun({ createdAt: ago(3_000), status: 'RUNNING', worker: 'lost' });
    await RunModel.updateOne({ _id }, { $unset: { ready: 1 } });
    await takeOverRuns('lost');
    await RunModel.updateOne({ _id, readyAt: { $exists: true } }, { readyAt: ago(100) });
    const age = await scraped(AGE);
    expect(age).toBeGreaterThanOrEqual(100);
    expect(age).toBeLessThan(3_000);
  });

  it('are missing while the database does not answer, hold up nothing else, and come back', async () => {
    await queueRun();
    expect(await scraped('flow_runs_live{status="QUEUED"}')).toBe(1);
    database.mongo.process.kill('SIGSTOP');
    const during = await registry.metrics(); // it would not come before the database does
    database.mongo.process.kill('SIGCONT');
    expect(during).toContain(`# HELP ${AGE} `);
    expect(during).not.toMatch(/^flow_run/m);
    await waitFor('the figures', async () => (await scraped(AGE)) !== undefined);
  });
});
