import { setTimeout as sleep } from 'node:timers/promises';
import { loadavg } from 'node:os';
import type { EmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { createWorkspace, type Person, register } from '../../test/helpers/people.ts';
import { createFlow, runToEnd } from '../../test/helpers/runs.ts';
import { startServer, type TestServer } from '../../test/helpers/server.ts';
import { waitFor } from '../../test/helpers/wait.ts';
import type { StoredDocument } from '../document-copies.ts';
import { type Figure, FIGURES } from '../figures.ts';
import { interleave, median } from '../load.ts';
import { cpuSecondsOf, usageOfTree } from '../process.ts';
import { printLine, reportFigure } from '../report.ts';
import { productionEnvironment, startDatabase, stopDatabase } from '../setup.ts';
import { StoredRuns } from '../stored-runs.ts';
import { SHORT_WAIT, waitingRunOf } from '../waiting-run.ts';

/** The stored runs of each system, in one workspace. The first system is the one that the others are compared with. */
const SYSTEMS = {
  '10^3': { ended: 1_000, waiting: 0 },
  '10^5': { ended: 100_000, waiting: 0 },
  '10^6': { ended: 1_000_000, waiting: 0 },
  '10^5 waiting': { ended: 1_000, waiting: 100_000 },
} as const;
type Size = keyof typeof SYSTEMS;
const SIZES = Object.keys(SYSTEMS) as Size[];
const [SMALLEST, ...LARGER] = SIZES as [Size, ...Size[]];

/** Days over which the ended runs are spread, fewer than retention keeps. */
const DAYS = 20;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Loads of each system and operation, of which the median counts. */
const ROUNDS = 5;
/** Rounds of removals. Each lasts until the next look of retention, and longer. */
const REMOVAL_ROUNDS = 3;
/** Runs that retention removes in a round. */
const REMOVED = 1_000;
/** Milliseconds between the fill and the first load, in which the databases write the inserts to their files. */
const SETTLE_MS = 8_000;
/** Milliseconds of rest before memory is taken, after which a service has ended its children. */
const REST_MS = 75_000;
/** A suspension that the engine writes: it sleeps a shorter wait in the worker. */
const SUSPENDED = 'do:\n  - rest: { wait: { milliseconds: 1100 } }\n';

/** A service with its database, and the flow whose runs are stored. */
interface System {
  service: TestServer;
  database: EmbeddedMongo;
  owner: Person;
  workspaceId: number;
  flowId: number;
  suspendedFlowId: number;
  runs: StoredRuns;
  /** An ended run of the flow, for copies. */
  ended: StoredDocument;
}

/**
 * Compares the database's CPU time of what services do with runs, between systems with many stored runs and one with a
 * thousand, and the memory of the services afterwards.
 */
export async function measureScale(): Promise<void> {
  if (process.platform !== 'linux') return printLine('scale: measured on Linux only');
  const systems = {} as Record<Size, System>;
  for (const size of SIZES) systems[size] = await fillSystem(size);
  await sleep(SETTLE_MS);
  const operations: [Figure, number, Operation][] = [
    [FIGURES.startOfMany, 200, atOnce(10, (of) => runToEnd(of.owner, of.flowId))],
    [FIGURES.claimOfMany, 100, atOnce(50, (of) => runToEnd(of.owner, of.suspendedFlowId))],
    [FIGURES.listOfMany, 50, atOnce(1, (of) => read(of.owner, `/flows/${of.flowId}/runs`))],
    [FIGURES.recentRunsOfMany, 300, atOnce(1, (of) => read(of.owner, '/flows/recent-runs', of))],
    [FIGURES.statisticsOfMany, 300, atOnce(1, (of) => read(of.owner, '/flows/stats', of))],
  ];
  for (const [figure, count, load] of operations) {
    const cpuMs = await interleave(
      ROUNDS,
      mapSizes((size) => async () => {
        const before = databaseMs(systems[size]);
        await load(systems[size], count);
        return (databaseMs(systems[size]) - before) / count;
      }),
    );
    report(figure, cpuMs);
  }
  report(FIGURES.retentionOfMany, await measureRemovals(systems));
  await sleep(REST_MS);
  const { memoryMb } = usageOfTree(systems['10^6'].service.pid);
  reportFigure(FIGURES.memoryOfMany, memoryMb, 0);
  printLine(`load of the machine ${loadavg()[1]?.toFixed(1)}`);
  for (const { runs, service, database } of Object.values(systems)) {
    await runs.close();
    await service.stop();
    await stopDatabase(database);
  }
}

/** Starts a system and stores its runs. */
async function fillSystem(size: Size): Promise<System> {
  const begin = performance.now();
  const { ended: count, waiting } = SYSTEMS[size];
  const database = await startDatabase(`scale-${size}`);
  const env = { ...productionEnvironment(database.uri), QUEUED_RUNS_PER_WORKSPACE: '1000000' };
  const service = await startServer({ env });
  const owner = await register(service.url);
  const workspaceId = await createWorkspace(owner);
  const flowId = await createFlow(owner, workspaceId, 'do:\n  - a: { set: { a: 1 } }\n');
  const suspendedFlowId = await createFlow(owner, workspaceId, SUSPENDED);
  const runs = await StoredRuns.open(database.uri);
  const ended = await endedRunOf(owner, flowId, runs);
  const last = Date.now() - 60_000;
  await runs.addCopies(ended, count - 1, (n) =>
    timesOf(last - Math.floor((n * DAYS * DAY_MS) / count)),
  );
  await runs.addRollups({ workspaceId, flowId, runs: count / DAYS, days: DAYS });
  if (waiting) {
    const restingFlowId = await createFlow(owner, workspaceId, SHORT_WAIT);
    const template = await waitingRunOf(owner, restingFlowId, runs);
    const wakeAt = new Date(Date.now() + DAY_MS);
    await runs.addCopies(template, waiting, () => ({ flowId, wakeAt, deadlineAt: wakeAt }));
  }
  printLine(`filled ${size} in ${((performance.now() - begin) / 1_000).toFixed(0)} s`);
  return { service, database, owner, workspaceId, flowId, suspendedFlowId, runs, ended };
}

/** Runs a flow to its end, and returns the run as it is stored once it is in the rollups and its messages are delivered. */
async function endedRunOf(owner: Person, flowId: number, runs: StoredRuns) {
  const { id } = await runToEnd(owner, flowId);
  const pending = ['uncounted', 'unposted', 'eventsPending', 'outbox.0'];
  const isDone = Object.fromEntries(pending.map((field) => [field, { $exists: false }]));
  const run = await waitFor('a run of which nothing is left to do', () =>
    runs.collection.findOne({ _id: id, ...isDone }),
  );
  return run as StoredDocument;
}

function timesOf(time: number) {
  const at = new Date(time);
  return { createdAt: at, startedAt: at, completedAt: at };
}

/** Does something so often in a system. */
type Operation = (system: System, count: number) => Promise<unknown>;

/** Makes an operation of which `size` are under way: the next ones begin when all of them have ended. */
const atOnce =
  (size: number, once: (system: System) => Promise<unknown>): Operation =>
  async (system, count) => {
    for (let n = 0; n < count; n += size)
      await Promise.all(Array.from({ length: size }, () => once(system)));
  };

async function read(owner: Person, path: string, of?: System): Promise<void> {
  const query = of && { workspaceId: of.workspaceId };
  const { status } = await owner.call('GET', path, query && { query });
  if (status !== 200) throw new Error(`${path} answered ${status}`);
}

/**
 * Stores runs that ended too long ago in all systems at the same time, and waits until retention has removed them. Returns
 * the database's milliseconds of CPU time for each of these runs, the insert included.
 */
async function measureRemovals(systems: Record<Size, System>): Promise<Record<Size, number[]>> {
  const values = mapSizes(() => [] as number[]);
  for (let round = 0; round < REMOVAL_ROUNDS; round++) {
    const before = mapSizes((size) => databaseMs(systems[size]));
    await Promise.all(SIZES.map((size) => removeCopies(systems[size])));
    for (const size of SIZES)
      values[size].push((databaseMs(systems[size]) - before[size]) / REMOVED);
  }
  return values;
}

async function removeCopies({ runs, ended }: System): Promise<void> {
  const at = Date.now() - 400 * DAY_MS;
  await runs.addCopies(ended, REMOVED, () => timesOf(at));
  const old = { completedAt: new Date(at) };
  await waitFor('the removal', async () => !(await runs.collection.findOne(old)), 120_000);
}

const databaseMs = ({ database }: System): number =>
  cpuSecondsOf(database.process.pid ?? 0) * 1_000;

const mapSizes = <T>(make: (size: Size) => T): Record<Size, T> =>
  Object.fromEntries(SIZES.map((size) => [size, make(size)])) as Record<Size, T>;

/**
 * Prints the median milliseconds of each system, and the highest ratio to the smallest. CPU time needs no pairs: it is that
 * of the work, whatever else the machine does.
 */
function report(figure: Figure, cpuMs: Record<Size, number[]>): void {
  const medians = SIZES.map((size) => `${size} ${median(cpuMs[size]).toFixed(2)}`).join(', ');
  printLine(`CPU time of the database, ms: ${medians}`);
  const ratios = LARGER.map((size) => median(cpuMs[size]) / median(cpuMs[SMALLEST]));
  reportFigure(figure, Math.max(...ratios));
}
