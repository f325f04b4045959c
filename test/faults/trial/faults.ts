import { setTimeout as sleep } from 'node:timers/promises';
import { CORE } from '../../helpers/spread.ts';
import { comes } from '../../helpers/wait.ts';
import type { Fault } from '../checks.ts';
import { freeze, pick } from '../rounds/kills.ts';
import type { StoredRuns } from '../rounds/runs/stored-runs.ts';
import { type Kind, type System, WORKER } from '../../helpers/system.ts';
import type { Outage } from './sample.ts';
import type { Tolerance } from './verdict.ts';

export interface TrialWorld {
  system: System;
  stored: StoredRuns;
  random: () => number;
}

/** What a fault did. */
export interface FaultEnd {
  outages: Outage[];
  tolerance: Tolerance;
  faults: Fault[];
  /** What took longer than it may. */
  late: Fault[];
}

export type TrialFault = (world: TrialWorld) => Promise<FaultEnd>;

/** Milliseconds within which the runs of a killed worker go on elsewhere. */
const TAKEN_OVER_WITHIN_MS = 6_000;
const FROZEN_MS = 6_000;
/** The part of all reads that the kill of one process of two may cost, those at a killed gateway apart. */
const READS_LOST = 0.01;
/** The kinds of processes by their names in the table. */
const NAMED: readonly [string, Kind][] = [
  ['a gateway', 'api'],
  ['a core process', CORE],
  ['a worker', WORKER],
];

const freezeOf = (name: string): string => `SIGSTOP of ${name} for ${FROZEN_MS / 1_000} s`;

/** The faults of the trial, by name, in their order. */
export const TRIAL_FAULTS: ReadonlyMap<string, TrialFault> = new Map([
  ...NAMED.map(([name, kind]): [string, TrialFault] => [`kill -9 of ${name}`, kill(kind)]),
  ...[4, 15].map((s): [string, TrialFault] => [`nats-server away for ${s} s`, nats(s * 1_000)]),
  ...[4, 9].map((s): [string, TrialFault] => [`database away for ${s} s`, database(s * 1_000)]),
  ...NAMED.map(([name, kind]): [string, TrialFault] => [freezeOf(name), frozen(oneOf(kind))]),
  [freezeOf('nats-server'), frozen(({ system }) => system.ground.nats)],
  [freezeOf('the database'), frozen(theDatabase)],
  ['rolling restart of all six', roll],
]);

/** kill -9 of one of two processes, which is started again at once. */
function kill(kind: Kind): TrialFault {
  return async ({ system, stored, random }) => {
    const [process, url] = pick(random, system.addressesOf(kind));
    const worker = (await stored.workers()).find(({ pid }) => pid === process.pid);
    const at = performance.now();
    await system.end(process, 'SIGKILL');
    const started = system.add(kind);
    const late = worker ? await lateTakeover(stored, worker._id) : [];
    await started;
    return {
      outages: [{ from: at, to: at }],
      tolerance: {
        failures: kind !== WORKER,
        reads: READS_LOST,
        ...(url ? { lostGateway: url } : {}),
      },
      faults: [],
      late,
    };
  };
}

async function lateTakeover(stored: StoredRuns, worker: string): Promise<Fault[]> {
  const isTaken = async () => (await stored.heldBy(worker)).length === 0;
  if (await comes(isTaken, TAKEN_OVER_WITHIN_MS)) return [];
  return [`runs of a killed worker did not go on within ${TAKEN_OVER_WITHIN_MS} ms`];
}

/** The end of a fault in which a part was away until now, and nothing else can be told but by the clients. */
const awaySince = (from: number): FaultEnd => ({
  outages: [{ from, to: performance.now() }],
  tolerance: { failures: true },
  faults: [],
  late: [],
});

function nats(ms: number): TrialFault {
  return async ({ system: { ground } }) => {
    const from = performance.now();
    await ground.nats.kill();
    await sleep(ms);
    await ground.nats.start();
    return awaySince(from);
  };
}

function database(ms: number): TrialFault {
  return async ({ system }) => {
    const from = performance.now();
    await system.killDatabase();
    await sleep(ms);
    await system.restartDatabase();
    return awaySince(from);
  };
}

type Stoppable = Parameters<typeof freeze>[0];

function oneOf(kind: Kind): (world: TrialWorld) => Stoppable {
  return ({ system, random }) => pick(random, system.processesOf(kind));
}

function theDatabase({ system: { ground } }: TrialWorld): Stoppable {
  return { signal: (signal) => void ground.database.process.kill(signal) };
}

function frozen(find: (world: TrialWorld) => Stoppable): TrialFault {
  return async (world) => {
    const from = performance.now();
    await freeze(find(world), FROZEN_MS);
    return awaySince(from);
  };
}

/** As `deploy/roll.sh`: of each kind a new process for each old one, and the old ones end once the new ones are well. */
async function roll({ system }: TrialWorld): Promise<FaultEnd> {
  const faults: Fault[] = [];
  for (const kind of [CORE, WORKER, 'api']) {
    const old = system.processesOf(kind);
    await Promise.all(old.map(() => system.add(kind)));
    for (const process of old) {
      const code = await system.end(process, 'SIGTERM');
      if (code !== 0) faults.push(`a process of ${kind} ended with ${code}`);
    }
  }
  return { outages: [], tolerance: { failures: false }, faults, late: [] };
}
