/**
 * What clients see of each fault of a system in production: `npm run test:trial -- [--seed 1] [--only nats,SIGSTOP] [--shard 1/4]
 * [--untimed]`. Six
 * processes (two gateways, two workers, two with all other services), one nats-server and one database carry a load of
 * six readers, three writers and three clients that start runs, through one fault after another.
 *
 * - No answer is a 500, or any other failure but a 503 with `Retry-After`, a 504 `DEADLINE_PASSED`, and a connection
 *   that a killed gateway took along. The kill of a worker and a rolling restart fail no request at all.
 * - No answer comes later than 3 s beyond the outage (`latenessOf` has the definition), and no request that begins 3 s
 *   after it fails.
 * - No acknowledged write is lost, and none is carried out twice; runs end as they must, and call out in the order of
 *   their journals; the statistics equal a recount.
 *
 * With `--untimed` no assertion depends on how fast the machine is. Last it prints a table of what the clients saw, for
 * `docs/operations.md`.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { startMailServer, stopMailServers } from '../helpers/smtp.ts';
import { comes } from '../helpers/wait.ts';
import { type Fault, faultsOfCalls, faultsOfKeys, faultsOfStatistics } from './checks.ts';
import { isOneOf, shardOf } from './choice.ts';
import { randomOf } from './random.ts';
import { StoredRuns } from './rounds/runs/stored-runs.ts';
import { Target } from './rounds/runs/target.ts';
import { System } from '../helpers/system.ts';
import { Balancer } from './trial/balancer.ts';
import { TrialClient } from './trial/client.ts';
import { type FaultEnd, TRIAL_FAULTS, type TrialFault } from './trial/faults.ts';
import { faultsOfWrites } from './trial/lost-writes.ts';
import { productionEnv, registerByMail } from './trial/production.ts';
import { type Row, rowOf, tableOf } from './trial/row.ts';
import { makeTarget, TrialLoad, type TrialTarget } from './trial/trial-load.ts';
import { failedReads, LATEST_MS, lateAnswers, unexplainedFailures } from './trial/verdict.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: '' },
    shard: { type: 'string', default: '1/1' },
    untimed: { type: 'boolean', default: false },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const random = randomOf(Number(values.seed));
/** Milliseconds of load before a fault and after its end. */
const CALM_MS = 3_000;
/** How often a fault may have a call of a run sent again: its worker was killed, and its successor met an outage. */
const REPEATED_CALLS = 2;

say(`seed ${values.seed}`);
const folder = dataFolder();
const mails = await startMailServer();
const target = await Target.start();
const system = new System(undefined, { dataDir: folder });
await system.start(productionEnv(join(folder, 'keys'), mails));
const ada = await registerByMail(system, mails);
const stored = new StoredRuns(system.ground.database.uri);
const rows: Row[] = [];

try {
  const chosen = [...TRIAL_FAULTS].filter(([name]) => isOneOf(name, values.only));
  for (const [name, fault] of shardOf(chosen, values.shard)) await play(name, fault);
} finally {
  target.stop();
  await stored.close();
  await stopMailServers();
  await stopServers();
}
say(`\n${tableOf(rows)}\n`);
const failed = rows.filter(({ faults }) => faults > 0).length;
say(`${rows.length - failed} passed, ${failed} failed`);
process.exitCode = failed || !rows.length ? 1 : 0;

/** Causes one fault under load, and notes what clients saw of it. */
async function play(name: string, fault: TrialFault): Promise<void> {
  target.calls = [];
  const aim = await makeTarget(ada, target.url, `f${rows.length}`);
  const balancer = new Balancer(() => system.urls);
  const load = await TrialLoad.start(new TrialClient(balancer, ada), aim);
  await sleep(CALM_MS + random() * 500);
  const end = await fault({ system, stored, random });
  await calm(load.client);
  await load.stop();
  await balancer.stop();
  await system.untilReady();
  const faults = await faultsOf(load, aim, end);
  rows.push({ ...rowOf(name, load.client, end.outages), faults: faults.length });
  say(`${name}: ${load.client.samples.length} requests, ${faults.length} faults`);
  for (const each of faults) say(`  ${each}`);
}

/** Waits until every kind of work succeeds again, then lets the load go on for a while. */
async function calm({ samples }: TrialClient): Promise<void> {
  const works = new Set(samples.map(({ work }) => work));
  const from = performance.now();
  const succeeds = (work: string) =>
    samples.some((sample) => sample.work === work && sample.began > from && !sample.failure);
  await comes(() => [...works].every(succeeds), 30_000);
  await sleep(LATEST_MS + CALM_MS);
}

/** What depends on how fast the machine is. */
const timed = (
  samples: TrialClient['samples'],
  { outages, tolerance, late }: FaultEnd,
): Fault[] => [
  ...late,
  ...lateAnswers(samples, outages),
  ...failedReads(samples, outages, tolerance),
];

async function faultsOf(load: TrialLoad, aim: TrialTarget, end: FaultEnd): Promise<Fault[]> {
  const { client, ledger } = load;
  const faults = [
    ...end.faults,
    ...unexplainedFailures(client.samples, end.outages, end.tolerance),
    ...(values.untimed ? [] : timed(client.samples, end)),
    ...client.operations
      .filter(({ failure }) => failure !== null)
      .map(({ work, failure }) => `${work} failed with all repeats: ${failure}`),
    ...(await faultsOfWrites(ada, aim, ledger)),
  ];
  for (const run of ledger.runs) {
    faults.push(...faultsOfCalls(run, target.calls, REPEATED_CALLS));
    faults.push(...faultsOfKeys(run, target.calls));
  }
  const statistics = () => faultsOfStatistics(ada, aim.workspaceId);
  await comes(async () => (await statistics()).length === 0, 10_000); // the sweeps count what a crash has left
  return [...faults, ...(await statistics())];
}
