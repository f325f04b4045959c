import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createWorkspace, type Person, registerVerified } from '../helpers/people.ts';
import { COMPILE_CACHE, startProcess } from '../helpers/process.ts';
import { createFlow, endOf, getRun, LocalApi, startRun, stepsOf } from '../helpers/runs.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { startDatabase } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

const HOUR_MS = 3_600_000;
const SHIFTED = pathToFileURL(join(import.meta.dirname, '../helpers/shifted-clock.ts'));
/**
 * Milliseconds by which the clock of the database, as this test reads it, may differ from the estimates: half of a round
 * trip, which takes seconds on a busy machine. The clocks of the processes differ by an hour.
 */
const TOLERANCE_MS = 3_000;
const RUNS = 6;

let api: LocalApi;
/** A person of each process, in a workspace of their own. */
let people: { person: Person; workspaceId: number }[];

beforeAll(async () => {
  api = await LocalApi.start();
  const dataDir = dataFolder();
  const database = await startDatabase(dataDir); // by the clock of the test
  people = [];
  for (const shift of [HOUR_MS, -HOUR_MS]) {
    const { ready } = startProcess({
      DATA_DIR: dataDir,
      MONGODB_URI: database.uri,
      OUTBOUND_ALLOW: '127.0.0.0/8',
      NODE_OPTIONS: `${COMPILE_CACHE.NODE_OPTIONS} --import=${SHIFTED}`,
      CLOCK_SHIFT_MS: String(shift),
    });
    const person = await registerVerified((await ready) ?? '');
    people.push({ person, workspaceId: await createWorkspace(person) });
  }
}, 120_000);
afterAll(async () => {
  api.stop();
  await stopServers();
});

/** Starts runs of a flow in both processes. */
async function startRuns(content: string, count = RUNS) {
  const started = people.map(async ({ person, workspaceId }) => {
    const flowId = await createFlow(person, workspaceId, content);
    const starts = Array.from({ length: count }, () => startRun(person, flowId));
    return (await Promise.all(starts)).map(({ body }) => ({ person, id: body.id }));
  });
  return (await Promise.all(started)).flat();
}

const timeOf = (text: string | null): number => Date.parse(text ?? '');

test('the clocks of the processes are an hour ahead and behind', async () => {
  const shifts = await Promise.all(
    people.map(async ({ person, workspaceId }) => {
      const body = { workspaceId, name: 'clock' };
      const { createdAt } = (await person.call<{ createdAt: string }>('POST', '/flows', { body }))
        .body;
      return Math.round((timeOf(createdAt) - Date.now()) / HOUR_MS);
    }),
  );
  expect(shifts).toEqual([1, -1]);
});

test('waits of both processes end when they are due by the clock of the database', async () => {
  const begun = Date.now();
  // Longer than a sweep's interval: each process looks for overdue runs while all of them wait.
  const runs = await startRuns(`do:
  - rest: { wait: { seconds: 8 } }
  - told: { call: http, with: { method: get, endpoint: '${api.url}/ok' } }
`);
  const untilWaiting = async ({ person, id }: (typeof runs)[number]) => {
    const { wakeAt } = await waitFor(`run ${id} to wait`, async () => {
      const run = await getRun(person, id);
      expect(['QUEUED', 'RUNNING', 'WAITING']).toContain(run.status);
      return run.wakeAt !== null && run;
    });
    expect(timeOf(wakeAt) - begun).toBeGreaterThan(8_000 - TOLERANCE_MS);
    expect(timeOf(wakeAt) - Date.now()).toBeLessThan(8_000 + TOLERANCE_MS);
  };
  await Promise.all(runs.map(untilWaiting));
  for (const { person, id } of runs) {
    const run = await endOf(person, id);
    expect(run.status).toBe('SUCCESS');
    const [createdAt, startedAt, completedAt] = [run.createdAt, run.startedAt, run.completedAt];
    expect(timeOf(createdAt)).toBeGreaterThan(begun - TOLERANCE_MS);
    expect(timeOf(startedAt)).toBeGreaterThan(begun - TOLERANCE_MS);
    expect(timeOf(completedAt)).toBeLessThan(Date.now() + TOLERANCE_MS);
    const [rest, told] = await stepsOf(person, id);
    expect(timeOf(rest?.completedAt ?? null) - timeOf(rest?.startedAt ?? null)).toBeGreaterThan(
      8_000 - TOLERANCE_MS,
    );
    expect(timeOf(told?.completedAt ?? null)).toBeLessThan(Date.now() + TOLERANCE_MS);
  }
  expect(api.keysOf('/ok')).toHaveLength(2 * RUNS);
}, 120_000);

test('a run times out when it is overdue by the clock of the database', async () => {
  const begun = Date.now();
  const runs = await startRuns(`timeout: { after: { seconds: 4 } }
do:
  - rest: { wait: { hours: 2 } }
`);
  for (const { person, id } of runs) {
    const run = await endOf(person, id);
    expect(run.status).toBe('TIMED_OUT');
    expect(timeOf(run.completedAt) - begun).toBeGreaterThan(4_000 - TOLERANCE_MS);
    expect(timeOf(run.completedAt)).toBeLessThan(Date.now() + TOLERANCE_MS);
  }
}, 120_000);

test('a call has the time that is left until the deadline', async () => {
  const runs = await startRuns(
    `timeout: { after: { seconds: 30 } }
do:
  - slow: { call: http, with: { method: get, endpoint: '${api.url}/slow/500' } }
`,
    2,
  );
  for (const { person, id } of runs) expect((await endOf(person, id)).status).toBe('SUCCESS');
}, 120_000);
