import { createWorkspace, type Person, registerVerified } from '../../test/helpers/people.ts';
import { createFlow, endOf, startRun } from '../../test/helpers/runs.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { median } from '../load.ts';
import { printLine, reportFigure } from '../report.ts';
import { startDatabase, startTarget, stopDatabase } from '../setup.ts';

const LONG_LOOP = 10_000;
const LONG_POLL = 1_000;
/** The rounds of the two short runs. The time of a round is the difference of their times, without start and end. */
const SHORT = [10, 20] as const;
/** Pairs of short runs of each flow. */
const PAIRS = 40;
/** The most milliseconds that a long run takes. Beyond it the measurement fails. */
const LONGEST_MS = 120_000;

/** Runs the flow with that many rounds to its end. Returns its milliseconds. */
type TimeRounds = (rounds: number) => Promise<number>;

/**
 * Compares the time of a round in a run of many rounds with the time of a round in a run of few: rounds of a set and a
 * wait of a millisecond, and polls, which are a call and a jump back.
 */
export async function measureLongRuns(): Promise<void> {
  const target = await startTarget();
  const database = await startDatabase('long-runs');
  const env = {
    MONGODB_URI: database.uri,
    OUTBOUND_ALLOW: `127.0.0.1:${target.port}`,
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
  };
  const service = await startServer({ env });
  const owner = await registerVerified(service.url);
  const loop = await prepareRounds(owner, LOOP);
  reportFigure(FIGURES.longLoop, await compareRounds('set and wait', loop, LONG_LOOP));
  const poll = await prepareRounds(owner, pollsOf(target.port));
  reportFigure(FIGURES.longPoll, await compareRounds('poll', poll, LONG_POLL));
  target.stop();
  await service.stop();
  await stopDatabase(database);
}

const LOOP = `
do:
  - rounds:
      for: { each: n, in: '\${ [1..$input.rounds] }' }
      do:
        - count: { set: { n: '\${ $n }' } }
        - rest: { wait: { milliseconds: 1 } }
`;

const pollsOf = (port: number): string => `
do:
  - begin: { set: { n: 0 }, export: { as: '\${ { "n": 0 } }' } }
  - poll:
      call: http
      with: { method: get, endpoint: 'http://127.0.0.1:${port}/' }
      export: { as: '\${ { "n": $context.n + 1 } }' }
  - again: { switch: [{ more: { when: '\${ $context.n < $input.rounds }', then: poll } }] }
`;

async function prepareRounds(owner: Person, content: string): Promise<TimeRounds> {
  const flowId = await createFlow(owner, await createWorkspace(owner), content);
  return async (rounds) => {
    const { body } = await startRun(owner, flowId, { input: { rounds } });
    const { status, startedAt, completedAt } = await endOf(owner, body.id, LONGEST_MS);
    if (status !== 'SUCCESS') throw new Error(`a run of ${rounds} rounds ended ${status}`);
    return Date.parse(completedAt ?? '') - Date.parse(startedAt ?? '');
  };
}

/** Returns the time of a round of the long run divided by that of short runs. */
async function compareRounds(name: string, time: TimeRounds, rounds: number): Promise<number> {
  const differences: number[] = [];
  for (let n = 0; n < PAIRS; n++) {
    const [few, more] = [await time(SHORT[0]), await time(SHORT[1])];
    differences.push(more - few);
  }
  const shortMs = median(differences) / (SHORT[1] - SHORT[0]);
  const longMs = (await time(rounds)) / rounds;
  printLine(
    `a round of ${name}: ${shortMs.toFixed(2)} ms of the first ${SHORT[1]}, ${longMs.toFixed(2)} ms of ${rounds}`,
  );
  return longMs / shortMs;
}
