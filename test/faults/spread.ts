/**
 * Faults of a system spread over NATS, each against a steady load of reads, writes and runs:
 * `node test/faults/spread.ts [--seed 1] [--nats 20] [--only kill,nats,database,rolling,stopped]`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { request } from '../helpers/http.ts';
import { createWorkspace, type Person, registerVerified } from '../helpers/people.ts';
import { createFlow, LocalApi } from '../helpers/runs.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { type Fault, faultsOfCalls, faultsOfKeys, faultsOfStatistics } from './checks.ts';
import { FAULT_FLOWS } from './flows.ts';
import { Load, type Target } from './load.ts';
import { randomOf } from './random.ts';
import { KINDS, System } from './system.ts';
import { failedReads, failuresAfter, hanging, lost } from './verdicts.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    nats: { type: 'string', default: '20' },
    only: { type: 'string', default: 'kill,nats,database,rolling,stopped' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const random = randomOf(Number(values.seed));
const totals = { passed: 0, failed: 0 };
const WARM_MS = 1_500;
const AFTER_MS = 4_000;
/** Milliseconds within which the system works again after an outage has ended. */
const BACK_WITHIN_MS = 3_000;

say(`seed ${values.seed}, spread over ${2 * KINDS.length} processes`);
const api = await LocalApi.start();
const system = await System.start(dataFolder(), {
  OUTBOUND_ALLOW: '127.0.0.0/8',
  PUBLIC_URL: 'http://service.test',
  LOG_LEVEL: 'warn',
  RATE_LIMIT: 'off',
});
const registered = await registerVerified(system.urls[0] ?? '');
/** A person whose requests go to the first gateway that is running. */
const ada: Person = {
  ...registered,
  call: (method, path, options) =>
    request(system.urls[0] ?? '', method, path, { token: registered.token, ...options }),
};

try {
  for (const name of values.only.split(',')) await scenarios()[name]?.();
} finally {
  api.stop();
  await stopServers();
}
say(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed ? 1 : 0;

function scenarios(): Record<string, () => Promise<void>> {
  return {
    kill: async () => {
      for (const kind of KINDS) await underLoad(`kill -9 of ${kind}`, (load) => killed(load, kind));
    },
    nats: async () => {
      for (let n = 0; n < Number(values.nats); n++) {
        const ms = n % 2 ? 8_000 : 1_000;
        await underLoad(`nats-server away for ${ms} ms`, (load) => withoutNats(load, ms));
      }
    },
    database: () => underLoad('kill -9 of the database', withoutDatabase),
    rolling: () => underLoad('rolling restart', rollingRestart),
    stopped: () => underLoad('SIGSTOP of a worker for 10 s', stoppedWorker),
  };
}

/** Causes one fault under load. Then no acknowledged write may be lost, and the statistics must equal a recount. */
async function underLoad(name: string, fault: (load: Load) => Promise<Fault[]>): Promise<void> {
  const target = await newTarget();
  const load = new Load(system, target);
  await sleep(WARM_MS + random() * 500);
  const faults = await fault(load);
  await load.stop();
  await system.untilReady();
  faults.push(...(await lost(load, ada, target.workspaceId)));
  for (const run of load.started) {
    faults.push(...faultsOfCalls(run, api.calls, 2), ...faultsOfKeys(run, api.calls));
  }
  if (!faults.length) await sleep(6_000); // what was stored and not acknowledged ends as well
  faults.push(...(await faultsOfStatistics(ada, target.workspaceId)));
  totals[faults.length ? 'failed' : 'passed']++;
  const failed = load.samples.filter(({ status }) => status < 200 || status > 299).length;
  const longest = Math.max(...load.samples.map(({ began, ended }) => ended - began));
  say(
    `${name}: ${load.samples.length} requests, ${failed} failed, the longest ${Math.round(longest)} ms; ${faults.length} faults`,
  );
  for (const each of faults) say(`  ${each}`);
}

async function newTarget(): Promise<Target> {
  const workspaceId = await createWorkspace(ada);
  const [flow] = FAULT_FLOWS;
  if (!flow) throw new Error('no flow');
  return {
    token: ada.token,
    workspaceId,
    flow: { ...flow, id: await createFlow(ada, workspaceId, flow.content(api.url)) },
  };
}

async function killed(load: Load, kind: (typeof KINDS)[number]): Promise<Fault[]> {
  const at = performance.now();
  await system.remove(kind, 'SIGKILL');
  await sleep(AFTER_MS);
  await system.add(kind);
  return failedReads(load, at, 0.01, 1_000);
}

async function withoutNats(load: Load, ms: number): Promise<Fault[]> {
  const { nats } = system.ground;
  await nats.kill();
  await sleep(ms);
  await nats.start();
  const back = performance.now();
  await sleep(BACK_WITHIN_MS + 1_000);
  await load.stop();
  return [
    ...failuresAfter(load, back + BACK_WITHIN_MS, 'after its return'),
    ...hanging(load, back),
  ];
}

async function withoutDatabase(load: Load): Promise<Fault[]> {
  await system.killDatabase();
  await sleep(1_000 + random() * 1_000);
  await system.restartDatabase();
  const back = performance.now();
  await sleep(BACK_WITHIN_MS + 1_000);
  await load.stop();
  return [
    ...failuresAfter(load, back + BACK_WITHIN_MS, 'after its return'),
    ...hanging(load, back),
  ];
}

async function rollingRestart(load: Load): Promise<Fault[]> {
  const begun = load.samples[0]?.began ?? 0;
  const faults: Fault[] = [];
  for (const kind of [...KINDS, ...KINDS]) {
    await system.add(kind);
    const code = await system.remove(kind, 'SIGTERM');
    if (code !== 0) faults.push(`a process of ${kind} ended with ${code}`);
  }
  return [...faults, ...failuresAfter(load, begun - 1, 'of all')];
}

async function stoppedWorker(load: Load): Promise<Fault[]> {
  const [worker] = system.processesOf('flows,runs');
  const at = performance.now();
  worker?.signal('SIGSTOP');
  await sleep(10_000);
  worker?.signal('SIGCONT');
  await sleep(AFTER_MS);
  return failedReads(load, at, 0.01, 1_000);
}
