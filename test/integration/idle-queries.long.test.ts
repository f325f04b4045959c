import { Registry } from 'prom-client';
import { type RunDocument, RunModel } from '../../models/run.model.ts';
import { cancelRun } from '../../services/runs/cancel-run.ts';
import { Retention } from '../../services/runs/engine/retention.ts';
import { RunEndWaiters } from '../../services/runs/engine/run-end-waiters.ts';
import { getBacklog } from '../../services/runs/live-runs.ts';
import { StartQuotas } from '../../services/runs/quotas/start-quotas.ts';
import { RollupScheduler } from '../../services/runs/statistics/rollup-scheduler.ts';
import { Standby } from '../../services/runs/statistics/standby.ts';
import { gaugeBacklog } from '../../telemetry/gauges.ts';
import {
  type CapturedCommand,
  captureCommands,
  examinedBy,
  shapeOf,
} from '../helpers/captured-commands.ts';
import { changeContext } from '../helpers/change-context.ts';
import { startTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { waitFor } from '../helpers/wait.ts';
import { queueRun, RUN_MODELS, waitOf, workerOf } from './runs/engine.ts';

const WAITING = 100_000;
const QUEUED = 100_000;
/** Runs that ended before the retention. */
const EXPIRED = 150;
const WORKSPACES = 50;
const OWNERS = 10;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Entries that a query may examine beyond what it returns: of runs that are worked on, or just were. */
const BESIDES = 40;
/** Documents that one query returns at most. */
const MOST_RETURNED = 500;
/** Commands of one shape that are explained. */
const OF_A_SHAPE = 3;

let database: TestDatabase;
let expiredIds: number[];
beforeAll(async () => {
  database = await startTestDatabase(RUN_MODELS);
  const { live, ready, uncounted, ...template } = await queueRun();
  const { _id } = template;
  await RunModel.deleteOne({ _id });
  const insert = inserting(template);
  await insert(WAITING, waiting);
  await insert(QUEUED, () => QUEUED_RUN);
  await insert(300, () => ({ ...QUEUED_RUN, uncounted: true }));
  const oldest = lastId + 1;
  await insert(EXPIRED, (n) => ended(90 * DAY_MS + n));
  expiredIds = Array.from({ length: EXPIRED }, (_, at) => oldest + at);
  await insert(150, (n) => ({ ...ended(n), unposted: true }));
  await insert(3, (n) => ({ ...waiting(n), wakeAt: ago(1_000) }));
  await insert(3, (n) => ({ ...waiting(n), wakeAt: later(n), deadlineAt: ago(DAY_MS) }));
}, 600_000);
afterAll(() => database.end());

const ago = (ms: number): Date => new Date(Date.now() - ms);
const later = (ms: number): Date => new Date(Date.now() + DAY_MS + ms);

const QUEUED_RUN = { live: true, ready: true } as const;
/** For a day, as far as is known by now. */
const waiting = (n: number): Partial<RunDocument> => ({
  live: true,
  status: 'WAITING',
  startedAt: ago(1_000),
  wakeAt: later(n),
  deadlineAt: later(n),
  journalBytes: 500 + (n % 3_000),
});
const ended = (ms: number): Partial<RunDocument> => ({
  status: 'SUCCESS',
  startedAt: ago(ms),
  completedAt: ago(ms),
});

let lastId = 1_000_000;
/** Inserts runs of all workspaces, made of the template. */
function inserting(template: RunDocument) {
  return async (count: number, of: (n: number) => Partial<RunDocument>): Promise<void> => {
    for (let from = 0; from < count; from += 2_000) {
      const runs = Array.from({ length: Math.min(2_000, count - from) }, (_, at) => {
        const workspaceId = 1 + ((from + at) % WORKSPACES);
        const shareOwner = `person:${1 + (workspaceId % OWNERS)}` as const;
        const createdAt = new Date(template.createdAt.getTime() + from + at);
        const run = { ...template, _id: ++lastId, workspaceId, shareOwner, createdAt };
        return { ...run, ...of(from + at) };
      });
      await RunModel.insertMany(runs, { lean: true });
    }
  };
}

/** The commands of a piece of work, at most some of each shape. */
async function commandsOf(
  work: (captured: readonly CapturedCommand[]) => Promise<unknown>,
): Promise<CapturedCommand[]> {
  const captured = captureCommands();
  try {
    await work(captured.all);
  } finally {
    captured.stop();
  }
  const byShape = Map.groupBy(captured.all, shapeOf);
  return [...byShape.values()].flatMap((alike) => alike.slice(0, OF_A_SHAPE));
}

/** How many values its lists have: so many documents it may look for by their keys. */
const listed = (value: unknown): number =>
  Array.isArray(value)
    ? value.length + Math.max(0, ...value.map(listed))
    : typeof value === 'object' && value !== null
      ? Math.max(0, ...Object.values(value).map(listed))
      : 0;

/** Describes the excess of a command that examines more than the bound; null for any other command. */
async function excessOf(one: CapturedCommand, { mayCount }: { mayCount: boolean }) {
  const { keys, documents, returned } = await examinedBy(one);
  const counts = mayCount && documents === 0; // from an index alone
  const bound = returned + listed(one.command) + BESIDES;
  const keeps = documents <= bound && (keys <= bound || counts) && returned <= MOST_RETURNED;
  return keeps ? null : { keys, documents, returned, command: JSON.stringify(one.command) };
}

async function excesses(commands: readonly CapturedCommand[], mayCount = false) {
  const found = [];
  for (const one of commands) found.push(await excessOf(one, { mayCount }));
  return found.filter((excess) => excess !== null);
}

/** Fields by which the engine's queries look for runs: each must have been seen. */
const SOUGHT = [
  'deadlineAt":{"$lt',
  'wakeAt":{"$gt',
  'cancelRequestedAt":{"$gt',
  'worker":{"$gt',
  'completedAt":{"$lt',
  'ready":true',
  'uncounted":true',
  'unposted":true',
  'uncounted":true},"projection":{"_id":1},"limit',
  'unposted":true},"projection":{"_id":1},"limit',
  'expired":true',
  'beat":1',
  'live":{"$exists":false',
];

/** The fields by which no captured command has looked for runs. */
function notSought(captured: readonly CapturedCommand[]): () => string[] {
  const missing = new Set(SOUGHT);
  let at = 0;
  return () => {
    for (; at < captured.length && missing.size > 0; at++) {
      const text = JSON.stringify(captured[at]?.command);
      for (const field of missing) if (text.includes(field)) missing.delete(field);
    }
    return [...missing];
  };
}

/** Two workers and all that goes on beside them, until each has looked for all that it looks for. */
async function work(captured: readonly CapturedCommand[]): Promise<void> {
  const failed = jest.fn();
  const workers = [1, 2].map(() => workerOf({ plan: waitOf(DAY_MS), concurrency: 2 }));
  const firstId = () => workers.map(({ id }) => id).toSorted()[0] ?? '';
  const scheduler = new RollupScheduler(failed);
  const retention = new Retention({ days: 30, worker: firstId, onError: failed });
  const ends = new RunEndWaiters(failed);
  const missing = notSought(captured);
  try {
    await new Standby().check();
    for (const worker of workers) await worker.start();
    scheduler.start();
    retention.start();
    void ends.waitForEnd(lastId, 600_000, null);
    const listeners = { onEnded: () => undefined, onRequested: () => undefined };
    await cancelRun({ _id: lastId, workspaceId: 1 }, changeContext(), listeners);
    await waitFor('a query by each field', () => missing().length === 0, 120_000).catch(() => null);
    expect(missing()).toEqual([]);
    await waitFor('the removal of what is expired', async () => {
      return (await RunModel.exists({ _id: { $in: expiredIds } })) === null;
    });
    await waitFor('the end of what is overdue', async () => {
      const overdue = await RunModel.find({ _id: { $in: [lastId - 2, lastId - 1] } }).lean();
      return overdue.every(({ status }) => status === 'TIMED_OUT');
    });
  } finally {
    ends.close();
    await Promise.all([scheduler.stop(), retention.stop(), ...workers.map((one) => one.stop())]);
  }
  expect(failed.mock.calls).toEqual([]);
}

test('what works on runs examines what it finds, however many wait and are queued', async () => {
  const commands = await commandsOf(work);
  expect(commands.length).toBeGreaterThan(20);
  expect(await excesses(commands)).toEqual([]);
}, 300_000);

test('a scrape reads no run but the oldest; it counts live runs in an index alone', async () => {
  const registry = new Registry();
  gaugeBacklog(registry, getBacklog);
  const commands = await commandsOf(() =>
    waitFor('the figures', async () => /^flow_runs_live{/m.test(await registry.metrics())),
  );
  expect(await excesses(commands, true)).toEqual([]);
  expect(await registry.metrics()).toMatch(/^flow_runs_live{status="WAITING"} \d{6}$/m);
}, 120_000);

test('a start counts as many queued runs as the quota allows, and reads none', async () => {
  const quotas = new StartQuotas({ queuedRuns: 500, runBytes: null });
  const run = await RunModel.findOne({ ready: true }).orFail().lean<RunDocument>();
  const commands = await commandsOf(() =>
    expect(quotas.store(run, async () => null)).rejects.toThrow('500 queued runs'),
  );
  expect(commands).not.toEqual([]);
  for (const one of commands) {
    expect(await examinedBy(one)).toMatchObject({ keys: 500, documents: 0 });
  }
}, 120_000);

test('a start counts the bytes of live runs in an index alone, and of its workspace', async () => {
  const quotas = new StartQuotas({ queuedRuns: null, runBytes: 10 ** 12 });
  const run = await RunModel.findOne({ ready: true }).orFail().lean<RunDocument>();
  const commands = await commandsOf(() => quotas.store(run, async () => null));
  expect(await excesses(commands, true)).toEqual([]);
  const examined = await Promise.all(commands.map(examinedBy));
  expect(examined.reduce((sum, { keys }) => sum + keys, 0)).toBeLessThanOrEqual(
    WAITING / WORKSPACES + 500,
  );
}, 120_000);
