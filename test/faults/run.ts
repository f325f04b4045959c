/**
 * kill -9 at random moments, round after round, on the same data: `node test/faults/run.ts
 * [--rounds 20] [--runs 50] [--seed 1] [--aim any|commits]`. Afterwards no acknowledged run is lost, each
 * has ended as it must, no call was repeated after its journal entry, and statistics equal a recount.
 *
 * Every second round, and with `--aim commits` each, starts its runs at once and kills within
 * milliseconds of a call: between its end and the write of it, or between the command that many runs
 * share and its answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createWorkspace, type Person, registerVerified } from '../helpers/people.ts';
import { createFlow, endOf, LocalApi } from '../helpers/runs.ts';
import { startServer, stopServers, type TestServer } from '../helpers/server.ts';
import {
  type Fault,
  faultsOfCalls,
  faultsOfEnd,
  faultsOfKeys,
  faultsOfStatistics,
  type StartedRun,
} from './checks.ts';
import { FAULT_FLOWS } from './flows.ts';
import { randomOf } from './random.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    runs: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    aim: { type: 'string', default: 'any' },
  },
});
const [rounds, runsPerRound, seed] = [values.rounds, values.runs, values.seed].map(Number) as [
  number,
  number,
  number,
];

/** Milliseconds after a call within which its end is written to the journal. */
const COMMIT_WINDOW_MS = 30;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const random = randomOf(seed);
const totals = { passed: 0, failed: 0 };

say(`seed ${seed}, ${rounds} rounds of ${runsPerRound} runs`);
const api = await LocalApi.start();
const server: TestServer = await startServer({
  env: { OUTBOUND_ALLOW: '127.0.0.0/8', PUBLIC_URL: 'http://service.test', LOG_LEVEL: 'warn' },
});
const person = await registerVerified(server.url);
const workspaceId = await createWorkspace(person);
const flows: { id: number; flow: StartedRun['flow'] }[] = [];
for (const flow of FAULT_FLOWS) {
  flows.push({ flow, id: await createFlow(person, workspaceId, flow.content(api.url), flow.name) });
}

try {
  for (let round = 1; round <= rounds; round++) await playRound(round);
} finally {
  api.stop();
  await stopServers();
}
say(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed ? 1 : 0;

/** The plan of a round: the start of its runs and the moment of its kill. */
interface RoundPlan {
  starters: number;
  longestPauseMs: number;
  /** Resolves with the moment, when it has come. */
  untilKill: (started: readonly StartedRun[]) => Promise<string>;
}

function anyMoment(): RoundPlan {
  const runs = 1 + Math.floor(random() * runsPerRound);
  const ms = Math.floor(random() * 600);
  const untilKill: RoundPlan['untilKill'] = async (started) => {
    while (started.length < runs) await sleep(1);
    await sleep(ms);
    return `${ms} ms after run ${runs}`;
  };
  return { starters: 3, longestPauseMs: 40, untilKill };
}

function amongCommits(): RoundPlan {
  const before = api.calls.length;
  const calls = 1 + Math.floor((random() * runsPerRound) / 2); // runs make more than one, on average
  const ms = Math.floor(random() * COMMIT_WINDOW_MS);
  const untilKill: RoundPlan['untilKill'] = async () => {
    while (api.calls.length < before + calls) await sleep(1);
    await sleep(ms);
    return `${ms} ms after call ${calls}`;
  };
  return { starters: 16, longestPauseMs: 0, untilKill };
}

async function playRound(round: number): Promise<void> {
  const plan = values.aim === 'commits' || round % 2 === 0 ? amongCommits() : anyMoment();
  const started: StartedRun[] = [];
  const starting = startRuns(round, plan, started);
  const moment = await plan.untilKill(started);
  await server.kill();
  await starting;
  await server.restart();
  const faults: Fault[] = [];
  for (const run of started) {
    const end = await endOf(person, run.id, 30_000).catch((error: Error) => error);
    if (end instanceof Error) faults.push(`run ${run.id} (${run.flow.name}): ${end.message}`);
    else faults.push(...faultsOfEnd(run, end));
  }
  // Runs that were stored and never acknowledged end as well. Then the statistics must equal a recount.
  for (let tries = 0; tries < 100 && (await liveRuns()) > 0; tries++) await sleep(100);
  for (const run of started) {
    faults.push(...faultsOfCalls(run, api.calls, 1), ...faultsOfKeys(run, api.calls));
  }
  faults.push(...(await faultsOfStatistics(person, workspaceId)));
  totals.failed += faults.length;
  totals.passed += Math.max(started.length + 1 - faults.length, 0);
  say(
    `round ${round}: killed ${moment}, ${started.length} of ${runsPerRound} acknowledged, ${faults.length} faults`,
  );
  for (const fault of faults) say(`  ${fault}`);
}

/** Starts runs one after another, some at once, and notes those that were acknowledged. */
async function startRuns(
  round: number,
  { starters, longestPauseMs }: RoundPlan,
  acknowledged: StartedRun[],
): Promise<void> {
  const order = Array.from({ length: runsPerRound }, (_, n) => ({
    tag: `r${round}n${n}`,
    chosen: flows[Math.floor(random() * flows.length)],
    pauseMs: Math.floor(random() * longestPauseMs),
  }));
  const inTurn = order[Symbol.iterator]();
  const starter = async () => {
    for (const { tag, chosen, pauseMs } of inTurn) {
      if (!chosen) continue;
      await sleep(pauseMs);
      const { id, flow } = chosen;
      const answer = await post(id, tag);
      if (answer === null) return; // the process is gone
      acknowledged.push({ id: answer, tag, flow });
    }
  };
  await Promise.all(Array.from({ length: starters }, starter));
}

async function post(flowId: number, tag: string): Promise<number | null> {
  try {
    const answer = await (person as Person).call<{ id: number }>('POST', `/flows/${flowId}/runs`, {
      body: { input: { tag } },
    });
    return answer.status === 202 ? answer.body.id : null;
  } catch {
    return null;
  }
}

async function liveRuns(): Promise<number> {
  const { body } = await person.call<{ content: { completedAt: string | null }[] }>(
    'GET',
    '/flows/recent-runs',
    { query: { workspaceId, limit: 100 } },
  );
  return body.content.filter(({ completedAt }) => completedAt === null).length;
}
