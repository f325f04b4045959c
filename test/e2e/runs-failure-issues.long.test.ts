import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../faults/random.ts';
import { e2e, type Result } from '../fixtures/e2e.ts';
import { pagesOf } from '../helpers/pages.ts';
import { startRun } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

/** Runs of the test in which nothing is stopped. */
const RUNS = 1_000;
/** Starts that are under way at once. */
const STARTERS = 40;
/** Times that the process is killed while runs fail, and runs of each such round. */
const KILLS = 8;
const RUNS_OF_ROUND = 200;
/** The longest pause in milliseconds between a change of the issue and the kill, while failures are delivered. */
const MAX_PAUSE_MS = 20;
/** The seed of the pauses. */
const SEED = Number(process.env.FAULT_SEED ?? 7);
/** Milliseconds until all entries of outboxes are delivered, on a busy machine. */
const DELIVERED_MS = 180_000;

const FAILING = `
metadata: { onFailure: { issue: true } }
do:
  - stop: { raise: { error: { type: https://x.example/y, status: 500, title: BROKEN } } }
`;

type Issue = Result<'issues.get'>;

const {
  server,
  database,
  owner,
  freshWorkspace: workspace,
} = e2e({ database: true, env: { PUBLIC_URL: 'http://service.test' } });

const collection = (name: string) => database.collection(name);
const countRuns = (flowId: number, filter: object = {}) =>
  collection('runs').countDocuments({ flowId, ...filter });

/** Starts runs, several at once, and resolves with the number of starts that were acknowledged. */
async function startRuns(flowId: number, count: number): Promise<number> {
  let left = count;
  let acknowledged = 0;
  const start = async () => {
    while (left-- > 0) {
      const answer = await startRun(owner, flowId).catch(() => null); // the process may be killed
      if (answer?.status === 202) acknowledged++;
    }
  };
  await Promise.all(Array.from({ length: STARTERS }, start));
  return acknowledged;
}

/** Resolves when all runs of the flow have failed, and no outbox has an entry. */
const untilDelivered = (flowId: number): Promise<boolean> =>
  waitFor(
    'the delivery of all failures',
    async () => {
      if ((await countRuns(flowId, { status: { $ne: 'FAILED' } })) > 0) return false;
      const waiting = { workspaceId: workspace.id, 'outbox.0': { $exists: true } };
      const outboxes = ['runs', 'issues'].map((name) => collection(name).countDocuments(waiting));
      return (await Promise.all(outboxes)).every((entries) => entries === 0);
    },
    DELIVERED_MS,
  );

/** Resolves with the count of the issue at once when it is above that number, which the polls of `waitFor` may miss. */
async function untilCountAbove(number: number): Promise<number> {
  const end = performance.now() + DELIVERED_MS;
  while (performance.now() < end) {
    const issue = await collection('issues').findOne({ workspaceId: workspace.id });
    if (issue && issue.failures.count > number) return issue.failures.count;
  }
  throw new Error(`the count of the issue did not pass ${number}`);
}

const issuesOf = async (): Promise<Issue[]> =>
  (await owner.call<Issue[]>('GET', workspace.issues)).body;
const countedBy = ({ description }: Issue): [count: number, lastRunId: number] => {
  const [, count, runId] =
    /\n\nFailed (\d+) times\nLast run: http:\/\/service\.test\/flows\/runs\/(\d+)$/.exec(
      description,
    ) ?? [];
  return [Number(count), Number(runId)];
};

test('a thousand failing runs make one issue with the right count, by few changes', async () => {
  const flowId = await workspace.flow(FAILING);
  expect(await startRuns(flowId, RUNS)).toBe(RUNS);
  await untilDelivered(flowId);
  const [issue, ...more] = await issuesOf();
  expect(more).toEqual([]);
  if (!issue) throw new Error('there is no issue');
  const last = await collection('runs').findOne({ flowId }, { sort: { completedAt: -1 } });
  const [count, lastRunId] = countedBy(issue);
  expect(count).toBe(RUNS);
  const lastRun = await collection('runs').findOne({ _id: lastRunId as never });
  expect(lastRun?.completedAt).toEqual(last?.completedAt);
  const changes = (await collection('issues').findOne({ _id: issue.id as never }))?.revision;
  expect(changes).toBeLessThan(RUNS / 5);
  const audit = await pagesOf<{ operation: string; resource: { id: number } }>(
    owner,
    `${workspace.path}/audit-log?operation=issues.raise`,
  );
  expect(audit.flat()).toHaveLength(changes);
  expect(await collection('issue_raises').countDocuments({ issueId: issue.id })).toBe(RUNS);
}, 600_000);

test('each failure counts once although the process is killed again and again', async () => {
  const random = randomOf(SEED);
  const flowId = await workspace.flow(FAILING);
  let acknowledged = 0;
  let counted = 0;
  for (let round = 0; round < KILLS; round++) {
    const starting = startRuns(flowId, RUNS_OF_ROUND);
    counted = await untilCountAbove(counted); // the entries of these failures are in the outboxes of the runs
    await sleep(random() * MAX_PAUSE_MS);
    await server.kill();
    acknowledged += await starting;
    await server.restart();
  }
  expect(await startRuns(flowId, 1)).toBe(1);
  await untilDelivered(flowId);
  const [issue, ...more] = await issuesOf();
  expect(more).toEqual([]);
  const failed = await countRuns(flowId, { status: 'FAILED' });
  expect(failed).toBeGreaterThan(acknowledged);
  expect(issue && countedBy(issue)[0]).toBe(failed);
}, 600_000);
