import { existsSync, readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { type Person, register } from '../../test/helpers/people.ts';
import { startServer, type TestServer } from '../../test/helpers/server.ts';
import { waitFor } from '../../test/helpers/wait.ts';
import { timeByLayer } from '../layers.ts';
import { cpuSecondsOf, usageOfTree } from '../process.ts';
import { printLine } from '../report.ts';
import { loadRuns, prepareFlow, threeCallsAndSet } from '../run-load.ts';
import {
  createIssue,
  createIssues,
  productionEnvironment,
  startDatabase,
  startTarget,
  stopDatabase,
  temporaryFolder,
} from '../setup.ts';

const PROFILER = join(import.meta.dirname, '../profiler.ts');
const WARM_UP_SECONDS = 5;
const SECONDS = 6;
/** The share of the CPU time from which a layer has a line of its own. Smaller layers are summed up in one line. */
const LEAST_SHARE = 0.01;
/** Connections of the load, each with one request at a time. */
const CLIENTS = 16;
/** Milliseconds that the profiler needs before its first sample, because it examines all code. */
const PROFILER_START_MS = 1_500;
/** Layers without work of the service: waiting, and the profiler. They are left out. */
const NOT_WORK = ['(idle)', 'our bench'];

interface ProfiledService {
  service: TestServer;
  database: EmbeddedMongo;
  owner: Person;
  file: string;
}

/** Prints the CPU time of a point read and of a run by layer, everything in one process; 16 clients. */
export async function printBudget(): Promise<void> {
  const target = await startTarget();
  const reads = await startProfiledService('point-read', {});
  const { issues } = await createIssue(reads.owner);
  const paths = await createIssues(reads.owner, issues);
  await profile(`a point read of ${paths.length} issues`, reads, async (n) => {
    const { status } = await reads.owner.call('GET', paths[n % paths.length] ?? '');
    if (status !== 200) throw new Error(`the read answered ${status}`);
  });
  const runs = await startProfiledService('run', { OUTBOUND_ALLOW: `127.0.0.1:${target.port}` });
  await profile('a run', runs, await prepareFlow(runs.owner, threeCallsAndSet(target.port)));
  target.stop();
}

async function startProfiledService(
  name: string,
  env: Record<string, string>,
): Promise<ProfiledService> {
  const database = await startDatabase(`budget-${name}`);
  const file = temporaryFolder(`${name}.cpuprofile`);
  const service = await startServer({
    env: {
      ...productionEnvironment(database.uri),
      NODE_OPTIONS: `--import=${PROFILER}`,
      BENCH_PROFILE: file,
      ...env,
    },
  });
  return { service, database, owner: await register(service.url), file };
}

async function profile(
  what: string,
  { service, database, file }: ProfiledService,
  work: (n: number) => Promise<unknown>,
): Promise<void> {
  const databasePid = database.process.pid ?? 0;
  const cpuSeconds = () => [
    cpuSecondsOf(service.pid),
    usageOfTree(service.pid).cpuSeconds - cpuSecondsOf(service.pid),
    cpuSecondsOf(databasePid),
  ];
  await loadRuns(work, CLIENTS, WARM_UP_SECONDS);
  service.signal('SIGUSR2');
  await sleep(PROFILER_START_MS);
  const before = cpuSeconds();
  const { completed } = await loadRuns(work, CLIENTS, SECONDS);
  const after = cpuSeconds();
  service.signal('SIGUSR2');
  const found = await waitFor('the profile', () => existsSync(file) && readProfile(file));
  const [own = 0, children = 0, ofDatabase = 0] = after.map(
    (seconds, n) => ((seconds - (before[n] ?? Number.NaN)) * 1e6) / completed,
  );
  printLine(
    `${what}, µs of CPU time: ${own.toFixed(0)} of the service's process, ` +
      `${children.toFixed(0)} of its children, ${ofDatabase.toFixed(0)} of the database`,
  );
  printLayers(timeByLayer(found), own);
  await service.stop();
  await stopDatabase(database);
}

/** Reads a profile. Returns null while the file is being written. */
function readProfile(file: string): Profiler.Profile | null {
  const text = readFileSync(file, 'utf8');
  return text.endsWith('}') ? (JSON.parse(text) as Profiler.Profile) : null;
}

/** Prints the shares of the profile's samples as parts of the measured CPU time, because samples are taken by the clock. */
function printLayers(times: Map<string, number>, ownUs: number): void {
  for (const name of NOT_WORK) times.delete(name);
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  const shares = [...times].map(([layer, time]) => ({ layer, share: time / total }));
  const large = shares.filter(({ share }) => share >= LEAST_SHARE);
  const rest = 1 - large.reduce((sum, { share }) => sum + share, 0);
  large.sort((a, b) => b.share - a.share);
  for (const { layer, share } of [...large, { layer: 'the rest', share: rest }]) {
    const us = (share * ownUs).toFixed(0).padStart(6);
    printLine(`  ${layer.padEnd(40)} ${us} µs ${(share * 100).toFixed(1).padStart(5)} %`);
  }
}
