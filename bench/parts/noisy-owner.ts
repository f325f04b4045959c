import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWorkspace, type Person, registerVerified } from '../../test/helpers/people.ts';
import { createFlow, runToEnd } from '../../test/helpers/runs.ts';
import { startServer } from '../../test/helpers/server.ts';
import type { StoredDocument } from '../document-copies.ts';
import { FIGURES } from '../figures.ts';
import { median } from '../load.ts';
import { percentile } from '../percentile.ts';
import { printLine, reportFigure } from '../report.ts';
import { startDatabase, stopDatabase } from '../setup.ts';
import { StoredRuns } from '../stored-runs.ts';

const WORKSPACES = 20;
const QUEUED_RUNS = 10_000;
/** Milliseconds that the call of a queued run takes. */
const CALL_MS = 100;
/** Starts that are measured in each case. */
const STARTS = 60;
const WARM_UP_STARTS = 20;
/** Milliseconds between two measured starts. */
const PAUSE_MS = 100;

/** Measures how long a run of one owner takes to begin beside another owner with thousands of queued runs, and alone. */
export async function measureNoisyOwner(): Promise<void> {
  const target = await SlowTarget.start();
  const database = await startDatabase('noisy-owner');
  const runs = await StoredRuns.open(database.uri);
  const service = await startServer({
    env: {
      MONGODB_URI: database.uri,
      OUTBOUND_ALLOW: `127.0.0.1:${target.port}`,
      LOG_LEVEL: 'warn',
      RATE_LIMIT: 'off',
    },
  });
  const quiet = await registerVerified(service.url);
  const flowId = await createFlow(quiet, await createWorkspace(quiet), target.flowOf('/quiet'));
  const measureStart = () => target.timeUntilCall(() => startRun(quiet, flowId));
  const noisy = await prepareNoisyOwner(await registerVerified(service.url, 'Eve'), target, runs);
  await measureStarts(measureStart, WARM_UP_STARTS);
  const alone = await measureStarts(measureStart, STARTS);
  for (const run of noisy) await runs.addCopies(run, QUEUED_RUNS / WORKSPACES);
  const beside = await measureStarts(measureStart, STARTS);
  const left = await runs.collection.countDocuments({ live: true, status: 'QUEUED' });
  for (const [name, times] of [
    ['alone', alone],
    ['beside the noisy owner', beside],
  ] as const) {
    const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
    printLine(
      `a run begins ${name} after: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, max ${Math.max(...times).toFixed(0)} ms`,
    );
  }
  printLine(`${left} of ${QUEUED_RUNS} runs of the noisy owner are queued still`);
  const isLoaded = left > 0; // otherwise the last starts were measured alone
  const worst = isLoaded ? percentile(beside, 0.95) : Number.NaN;
  reportFigure(FIGURES.noisyOwner, worst - 2 * median(alone));
  await service.stop();
  await runs.close();
  target.stop();
  await stopDatabase(database);
}

/** Makes the owner's workspaces and flows. Returns a run of each as it is before its first claim. */
async function prepareNoisyOwner(
  owner: Person,
  target: SlowTarget,
  runs: StoredRuns,
): Promise<StoredDocument[]> {
  const queued: StoredDocument[] = [];
  for (let n = 0; n < WORKSPACES; n++) {
    const flowId = await createFlow(owner, await createWorkspace(owner), target.flowOf('/noisy'));
    const { id } = await runToEnd(owner, flowId);
    const run = await runs.collection.findOne({ _id: id });
    if (!run) throw new Error(`run ${id} is not in the database`);
    queued.push(queuedFormOf(run));
  }
  return queued;
}

/** Returns the run without the fields that its claim, its journal and its end have set. */
function queuedFormOf(run: StoredDocument): StoredDocument {
  const { startedAt, deadlineAt, completedAt, resultBytes, journalBytes, weight, ...rest } = run;
  const { unposted, events, openSteps, ...created } = rest;
  const journal = { journal: [], entries: 0, moved: 0, keptBytes: 0 };
  const state = { status: 'QUEUED', live: true, ready: true, fence: 0, output: null };
  return { ...created, _id: run._id, ...journal, ...state, createdAt: new Date() };
}

async function measureStarts(measure: () => Promise<number>, count: number): Promise<number[]> {
  const times: number[] = [];
  while (times.length < count) {
    times.push(await measure());
    await sleep(PAUSE_MS);
  }
  return times;
}

async function startRun(owner: Person, flowId: number): Promise<void> {
  const { status } = await owner.call('POST', `/flows/${flowId}/runs`, { body: {} });
  if (status !== 202) throw new Error(`a start answered ${status}`);
}

/** A server that flows call: `/noisy` is answered after `CALL_MS`, `/quiet` at once. */
class SlowTarget {
  #onQuietCall: () => void = () => undefined;
  readonly #server = createServer((request, response) => {
    const isQuiet = request.url === '/quiet';
    if (isQuiet) this.#onQuietCall();
    response.setHeader('content-type', 'application/json');
    setTimeout(() => response.end('{"ok":true}'), isQuiet ? 0 : CALL_MS);
  });

  static async start(): Promise<SlowTarget> {
    const target = new SlowTarget();
    await once(target.#server.listen(0, '127.0.0.1'), 'listening');
    return target;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  flowOf(path: string): string {
    return `do:\n  - hit: { call: http, with: { method: get, endpoint: 'http://127.0.0.1:${this.port}${path}' } }\n`;
  }

  /** Returns the milliseconds from the request of a start until the call of its run arrives. */
  async timeUntilCall(start: () => Promise<void>): Promise<number> {
    const { promise: called, resolve } = Promise.withResolvers<void>();
    this.#onQuietCall = resolve;
    const begin = performance.now();
    await Promise.all([start(), called.then(() => undefined)]);
    return performance.now() - begin;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
