import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { COMPILE_CACHE, type ServiceProcess } from '../../../helpers/process.ts';
import { CORE } from '../../../helpers/spread.ts';
import { waitFor } from '../../../helpers/wait.ts';
import { LIMITED_FLOWS, LIMITS } from '../../flows.ts';
import { randomOf } from '../../random.ts';
import { type Kind, WHOLE, WORKER } from '../../../helpers/system.ts';
import {
  type Disturbance,
  disturb,
  killDatabase,
  killing,
  killNats,
  killOf,
  killWhole,
  pick,
} from '../kills.ts';
import type { Scenario } from '../scenario.ts';
import { RunWorld } from './run-world.ts';
import { type Pace, Traffic } from './traffic.ts';

/** What makes scenarios of runs differ. */
interface RunScenario {
  /** Two workers unless given. */
  kinds?: readonly Kind[];
  pace: Pace;
  /** How often the faults of a round may make a call under way be sent again. */
  repeats: number;
  /** The flows whose runs are started; all unless given. */
  flows?: readonly string[];
  changesSystem?: boolean;
  disturbance: (world: RunWorld, traffic: Traffic) => Disturbance;
}

const SPREAD: readonly Kind[] = ['api', CORE, WORKER, WORKER];
const QUICK: Pace = { clients: 3, longestPauseMs: 60 };
const CALM: Pace = { clients: 2, longestPauseMs: 400 };
/** Runs that are started at once. */
const BURST = { clients: 16, longestPauseMs: 0, runs: 50 };
/** Acknowledged runs after which a kill comes, at most. */
const MOST_STARTS = 30;
/** Milliseconds after a call within which its end is written to the journal. */
const COMMIT_WINDOW_MS = 30;
const HOUR_MS = 3_600_000;
/** Milliseconds in which the database writes what a stopped worker had sent. Others take its runs over later, after 5 s. */
const SENT_WRITES_MS = 1_000;
const SHIFTED = pathToFileURL(join(import.meta.dirname, '../../../helpers/shifted-clock.ts'));

/** SIGSTOP of a worker for 10 s: its runs go on elsewhere, and nothing that it writes afterwards counts. */
const stopWorker =
  ({ stored }: RunWorld): Disturbance =>
  async (system, random) => {
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
  };

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

const killSandboxChildren: Disturbance = async (system, random) => {
  let killed = 0;
  for (let n = 0; n < 8; n++) {
    await sleep(random() * 500);
    const children = sandboxChildrenOf(pick(random, system.processesOf(WORKER)));
    if (!children.length) continue;
    process.kill(pick(random, children), 'SIGKILL');
    killed += 1;
  }
  return [`killed ${killed} sandbox children`];
};

const withoutDatabase =
  (ms: number): Disturbance =>
  async (system, random) => {
    await sleep(500 + random() * 500);
    await system.killDatabase();
    await sleep(ms);
    await system.restartDatabase();
    await sleep(500);
    return [`the database was away for ${ms} ms`];
  };

/** Workers whose clocks are an hour ahead and behind; one of them is killed in each round. */
const shiftClocks: Disturbance = async (system, random) => {
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
  return ['two workers with clocks an hour ahead and behind'];
};

/** SIGTERM of a worker: it ends well, and its runs go on elsewhere. */
const handOver: Disturbance = async (system, random) => {
  await sleep(300 + random() * 1_000);
  const code = await system.end(pick(random, system.processesOf(WORKER)), 'SIGTERM');
  await system.add(WORKER);
  return ['SIGTERM of a worker', code === 0 ? [] : [`a worker ended with ${code}`]];
};

/** kill -9 at any moment after some acknowledged runs. */
const killAfterStarts =
  (_: RunWorld, { started }: Traffic): Disturbance =>
  async (system, random) => {
    const runs = 1 + Math.floor(random() * MOST_STARTS);
    while (started.length < runs) await sleep(1);
    const ms = Math.floor(random() * 600);
    await sleep(ms);
    await killWhole(system, random);
    return [`killed ${ms} ms after run ${runs}`];
  };

/** kill -9 within milliseconds of a call: between its end and the write of it, or before that of other runs. */
const killAmongCommits =
  ({ target }: RunWorld): Disturbance =>
  async (system, random) => {
    const calls = 1 + Math.floor(random() * (BURST.runs / 2)); // runs make more than one, on average
    while (target.calls.length < calls) await sleep(1);
    const ms = Math.floor(random() * COMMIT_WINDOW_MS);
    await sleep(ms);
    await killWhole(system, random);
    return [`killed ${ms} ms after call ${calls}`];
  };

/** Workers are killed again and again while more runs are queued than a limit admits. */
const killAtLimit =
  ({ target }: RunWorld): Disturbance =>
  async (system, random) => {
    target.most.clear();
    const areReached = () => LIMITS.every((limit) => target.most.get(limit) === limit);
    await waitFor('runs up to each limit', areReached);
    const plan = {
      kills: { worker: [1, killOf(WORKER)] },
      count: 5,
      longestPauseMs: 1_200,
    } as const;
    return killing(plan)(system, random);
  };

/** A run may be sent again by each new attempt to reach the database. */
const away = (ms: number): RunScenario => ({
  pace: CALM, // hardly a client goes on while the database is away
  repeats: 2,
  disturbance: () => withoutDatabase(ms),
});

const RUN_SCENARIOS: Readonly<Record<string, RunScenario>> = {
  database30: away(30_000),
  stop: { pace: QUICK, repeats: 1, disturbance: stopWorker },
  database8: away(8_000),
  limits: {
    pace: { clients: 4, longestPauseMs: 0, runs: 60 },
    repeats: 5,
    flows: LIMITED_FLOWS,
    disturbance: killAtLimit,
  },
  kill: {
    pace: QUICK,
    repeats: 3,
    disturbance: () =>
      killing({
        kills: {
          worker: [1, killOf(WORKER)],
          gateway: [1, killOf('api')],
          database: [1, killDatabase],
          nats: [1, killNats],
        },
        count: 3,
        longestPauseMs: 700,
      }),
  },
  handover: { pace: QUICK, repeats: 1, disturbance: () => handOver },
  database1: away(1_000),
  // An evaluation that loses two children one after the other gives its run back, whose calls under way are sent again.
  sandbox: { pace: QUICK, repeats: 1, disturbance: () => killSandboxChildren },
  clocks: { pace: QUICK, repeats: 2, changesSystem: true, disturbance: () => shiftClocks },
  whole: {
    kinds: [WHOLE],
    pace: QUICK,
    repeats: 1,
    disturbance: killAfterStarts,
  },
  commits: { kinds: [WHOLE], pace: BURST, repeats: 1, disturbance: killAmongCommits },
};

/** The scenarios of runs by name. */
export const runScenarios: Readonly<Record<string, Scenario>> = Object.fromEntries(
  Object.entries(RUN_SCENARIOS).map(([name, scenario]) => [name, scenarioOf(scenario)]),
);

function scenarioOf({
  kinds = SPREAD,
  pace,
  repeats,
  flows,
  changesSystem = false,
  disturbance,
}: RunScenario): Scenario {
  return {
    promise:
      'each acknowledged run has the outcome of an undisturbed one, no journalled call is repeated, nothing stays held, and statistics equal a recount',
    kinds,
    changesSystem,
    async prepare(stage) {
      const { system, owner } = stage;
      const world = await RunWorld.of(stage);
      return {
        async play(name, random) {
          await world.begin();
          const some = world.flows.filter((flow) => flows?.includes(flow.name) ?? true);
          const traffic = new Traffic(owner, some, name, randomOf(random() * 2 ** 32), pace);
          const { happened, faults } = await disturb(
            system,
            random,
            traffic.clients,
            disturbance(world, traffic),
          );
          faults.push(...(await world.faultsOf(traffic.started, repeats)));
          return { happened, load: `${traffic.started.length} runs`, faults };
        },
      };
    },
  };
}
