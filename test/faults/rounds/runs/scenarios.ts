import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { COMPILE_CACHE, type ServiceProcess } from '../../../helpers/process.ts';
import { waitFor } from '../../../helpers/wait.ts';
import type { Fault } from '../../checks.ts';
import { WORKER } from '../../system.ts';
import { type Kill, killDatabase, killNats, killOf, pick } from '../kills.ts';
import type { Pace, Traffic } from './traffic.ts';
import type { World } from './world.ts';

/** A round: what happens to the world while the load goes on. It answers what happened, and the faults seen. */
export interface Scenario {
  pace: Pace;
  /** How often the faults of a round may make a call under way be sent again. */
  repeats: number;
  play: (world: World, random: () => number, traffic: Traffic) => Promise<[string, Fault[]]>;
}

const QUICK: Pace = { clients: 3, longestPauseMs: 60 };
const CALM: Pace = { clients: 2, longestPauseMs: 400 };
const HOUR_MS = 3_600_000;
/** Milliseconds in which the database writes what a stopped worker had sent. Others take its runs over later, after 5 s. */
const SENT_WRITES_MS = 1_000;
const SHIFTED = pathToFileURL(join(import.meta.dirname, '../../../helpers/shifted-clock.ts'));

/** What `kill` kills. */
const KILLS: Record<string, Kill> = {
  worker: killOf(WORKER),
  gateway: killOf('api'),
  database: killDatabase,
  nats: killNats,
};

async function killAnything({ system }: World, random: () => number): Promise<[string, Fault[]]> {
  const killed: string[] = [];
  for (let n = 0; n < 3; n++) {
    await sleep(random() * 700);
    const name = pick(random, Object.keys(KILLS));
    killed.push(name);
    await KILLS[name]?.(system, random);
  }
  return [`killed ${killed.join(', ')}`, []];
}

/** SIGSTOP of a worker for 10 s: its runs go on elsewhere, and nothing that it writes afterwards counts. */
async function stopWorker(world: World, random: () => number): Promise<[string, Fault[]]> {
  const { system, stored } = world;
  await sleep(300 + random() * 700);
  const worker = pick(random, system.processesOf(WORKER));
  const name = (await stored.workers()).find(({ pid }) => pid === worker.pid)?._id ?? '';
  await waitFor('runs of the worker', async () => (await stored.heldBy(name)).length > 0);
  worker.signal('SIGSTOP');
  await sleep(SENT_WRITES_MS);
  const held = await stored.heldBy(name);
  await sleep(10_000 - SENT_WRITES_MS);
  await waitFor('the loss of the worker', async () => (await stored.heldBy(name)).length === 0);
  const before = await stored.find(held.map(({ _id }) => _id));
  const ended = before.filter(({ live }) => !live);
  worker.signal('SIGCONT');
  const isBack = async () =>
    (await stored.workers()).some(({ pid, _id }) => pid === worker.pid && _id !== name);
  await waitFor('the new name of the worker', isBack);
  const after = new Map(
    (await stored.find(ended.map(({ _id }) => _id))).map((run) => [run._id, run]),
  );
  const faults = ended
    .filter(({ _id, fence, entries, status }) => {
      const now = after.get(_id);
      return now?.fence !== fence || now.entries !== entries || now.status !== status;
    })
    .map(({ _id }) => `run ${_id} was written by an overtaken worker`);
  const notOvertaken = before.filter(
    ({ _id, fence }) => fence <= (held.find((run) => run._id === _id)?.fence ?? 0),
  );
  faults.push(...notOvertaken.map(({ _id }) => `run ${_id} was not taken over`));
  return [`stopped a worker with ${held.length} runs`, faults];
}

/** Finds the children of a process that evaluate expressions. */
function sandboxChildrenOf({ pid }: ServiceProcess): number[] {
  // `ps` ends with 1 where the process has no children.
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], {
    encoding: 'utf8',
  });
  return stdout
    .split('\n')
    .filter((line) => line.includes('sandbox/child'))
    .map((line) => Number.parseInt(line, 10));
}

async function killSandboxChildren(
  { system }: World,
  random: () => number,
): Promise<[string, Fault[]]> {
  let killed = 0;
  for (let n = 0; n < 8; n++) {
    await sleep(random() * 500);
    const children = sandboxChildrenOf(pick(random, system.processesOf(WORKER)));
    if (!children.length) continue;
    process.kill(pick(random, children), 'SIGKILL');
    killed += 1;
  }
  return [`killed ${killed} sandbox children`, []];
}

const withoutDatabase =
  (ms: number): Scenario['play'] =>
  async ({ system }, random) => {
    await sleep(500 + random() * 500);
    await system.killDatabase();
    await sleep(ms);
    await system.restartDatabase();
    await sleep(500);
    return [`the database was away for ${ms} ms`, []];
  };

/** Workers whose clocks are an hour ahead and behind; one of them is killed in each round. */
async function shiftClocks({ system }: World, random: () => number): Promise<[string, Fault[]]> {
  const shift = (ms: number) => ({
    NODE_OPTIONS: `${COMPILE_CACHE.NODE_OPTIONS} --import=${SHIFTED}`,
    CLOCK_SHIFT_MS: String(ms),
  });
  const [first, second] = system.processesOf(WORKER);
  await system.add(WORKER, shift(HOUR_MS));
  if (first) await system.end(first, 'SIGKILL');
  await sleep(random() * 500);
  await system.add(WORKER, shift(-HOUR_MS));
  if (second) await system.end(second, 'SIGKILL');
  await sleep(1_500 + random() * 1_000);
  return ['two workers with clocks an hour ahead and behind', []];
}

/** SIGTERM of a worker: it ends well, and its runs go on elsewhere. */
async function handOver({ system }: World, random: () => number): Promise<[string, Fault[]]> {
  await sleep(300 + random() * 1_000);
  const worker = pick(random, system.processesOf(WORKER));
  const code = await system.end(worker, 'SIGTERM');
  await system.add(WORKER);
  return ['SIGTERM of a worker', code === 0 ? [] : [`a worker ended with ${code}`]];
}

/** Of 30 s, in which hardly a client goes on: a run may be sent again by each new attempt to reach the database. */
const away = (ms: number): Scenario => ({
  pace: CALM,
  repeats: 2,
  play: withoutDatabase(ms),
});

/** The scenarios in the order of how long their rounds take, the longest first. */
export const SCENARIOS: Record<string, Scenario> = {
  database30: away(30_000),
  stop: { pace: QUICK, repeats: 1, play: stopWorker },
  database8: away(8_000),
  clocks: { pace: QUICK, repeats: 2, play: shiftClocks },
  kill: { pace: QUICK, repeats: 3, play: killAnything },
  handover: { pace: QUICK, repeats: 1, play: handOver },
  database1: away(1_000),
  // An evaluation that loses two children one after the other gives its run back, whose calls under way are sent again.
  sandbox: { pace: QUICK, repeats: 1, play: killSandboxChildren },
};
