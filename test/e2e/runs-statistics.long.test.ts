import { e2e, type Result } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { createWorkspace, registerVerified } from '../helpers/people.ts';
import { createFlow, endOf, runToEnd, startRun } from '../helpers/runs.ts';

const {
  server,
  owner: ada,
  workspace,
  api,
} = e2e({ env: { OUTBOUND_ALLOW: '127.0.0.0/8', PUBLIC_URL: 'http://service.test' } });

type Statistics = Result<'runs.statistics'>;
type RecentRuns = Result<'runs.recent'>;
const stats = (query: Record<string, string | number> = {}, who = ada) =>
  who.call<Statistics>('GET', '/flows/stats', { query });
const recent = (query: Record<string, string | number> = {}) =>
  ada.call<RecentRuns>('GET', '/flows/recent-runs', {
    query: { workspaceId: workspace.id, ...query },
  });

const FINE = 'do:\n  - one: { set: { a: 1 } }\n';
const FAILING = 'do:\n  - stop: { raise: { error: { type: https://x.example/y, status: 500 } } }\n';
const RESTING = 'do:\n  - rest: { wait: { days: 1 } }\n';

test('an empty workspace has statistics of nothing and an empty page', async () => {
  const { body } = await stats({ from: '2026-01-01', to: '2026-01-02' });
  expect(body).toEqual({
    totalRuns: 0,
    successfulRuns: 0,
    failedRuns: 0,
    averageDuration: 0,
    mostFrequentFlow: null,
    runsByDay: [
      { date: '2026-01-01T00:00:00.000Z', runCount: 0 },
      { date: '2026-01-02T00:00:00.000Z', runCount: 0 },
    ],
    currentlyRunningJobs: 0,
  });
  const sort = { empty: true, sorted: false, unsorted: true };
  expect((await recent()).body).toEqual({
    totalPages: 0,
    totalElements: 0,
    size: 10,
    content: [],
    number: 0,
    sort,
    numberOfElements: 0,
    pageable: { offset: 0, sort, pageNumber: 0, pageSize: 10, paged: true, unpaged: false },
    first: true,
    last: true,
    empty: true,
  });
});

test('both equal a recount, at once and after a crash', async () => {
  const [fine, failing, resting] = [
    await workspace.flow(FINE, 'fine'),
    await workspace.flow(FAILING, 'failing'),
    await workspace.flow(RESTING, 'resting'),
  ];
  const ended = [];
  for (let n = 0; n < 5; n++) ended.push(await runToEnd(ada, fine));
  for (let n = 0; n < 3; n++) ended.push(await runToEnd(ada, failing));
  const [live, cancelled] = [await startRun(ada, resting), await startRun(ada, resting)];
  await ada.call('POST', `/flows/runs/${cancelled.body.id}/cancel`);
  ended.push(await endOf(ada, cancelled.body.id));

  const seconds = ended.map(({ startedAt, completedAt }) =>
    startedAt ? (Date.parse(completedAt ?? '') - Date.parse(startedAt)) / 1_000 : 0,
  );
  const mean = seconds.reduce((a, b) => a + b, 0) / seconds.length;
  const check = async () => {
    const { body } = await stats();
    expect(body).toMatchObject({
      totalRuns: 9,
      successfulRuns: 5,
      failedRuns: 3,
      averageDuration: expect.closeTo(mean, 9),
      mostFrequentFlow: { flowId: fine, flowName: 'fine', runCount: 5 },
      currentlyRunningJobs: 1,
    });
    expect(body.runsByDay).toHaveLength(30);
    expect(body.runsByDay.reduce((sum, { runCount }) => sum + runCount, 0)).toBe(9);
    const page = (await recent({ limit: 100 })).body;
    expect([page.totalElements, page.content.length]).toEqual([10, 10]);
    expect(page.content.find(({ id }) => id === live.body.id)?.completedAt).toBeNull();
  };
  await check();
  await server.kill();
  await server.restart();
  await check();
  expect((await stats({ flowId: failing })).body).toMatchObject({ totalRuns: 3, failedRuns: 3 });
});

test('recent runs go newest first, page by page, in the shape of a Spring page', async () => {
  const { body } = await recent({ limit: 3, page: 1 });
  const all = (await recent({ limit: 100 })).body.content;
  const unit = { dateBased: false, timeBased: true, durationEstimated: false };
  const sort = { empty: true, sorted: false, unsorted: true };
  expect(body).toEqual({
    totalPages: 4,
    totalElements: 10,
    size: 3,
    content: all.slice(3, 6).map(({ id, status, startedAt, completedAt }) => {
      const ms = Date.parse(completedAt ?? '') - Date.parse(startedAt);
      return {
        id,
        flowName: expect.any(String),
        status,
        startedAt,
        completedAt,
        duration: {
          seconds: Math.floor(ms / 1_000),
          nano: (ms % 1_000) * 1_000_000,
          negative: false,
          zero: ms === 0,
          units: [unit, unit],
        },
      };
    }),
    number: 1,
    sort,
    numberOfElements: 3,
    pageable: { offset: 3, sort, pageNumber: 1, pageSize: 3, paged: true, unpaged: false },
    first: false,
    last: false,
    empty: false,
  });
  const behind = (await recent({ page: 7 })).body;
  expect(behind).toMatchObject({ content: [], empty: true, last: true, totalElements: 10 });
  const ids = all.map(({ id }) => id);
  expect(new Set(ids).size).toBe(10);
});

test.each([
  ['page', '/flows/recent-runs', { limit: 100, page: 101 }],
  ['limit', '/flows/recent-runs', { limit: 101 }],
  ['limit', '/flows/recent-runs', { limit: 0 }],
  ['from', '/flows/stats', { from: '2026-03-02', to: '2026-03-01' }],
  ['from', '/flows/stats', { from: '2024-01-01', to: '2026-01-01' }],
  ['to', '/flows/stats', { to: '2026-02-30' }],
  ['since', '/flows/stats', { since: '2026-02-03' }],
])('refuses %s out of bounds at %s', async (name, path, query) => {
  const needed = path === '/flows/recent-runs' ? { workspaceId: workspace.id } : {};
  const { status, body } = await ada.call<{ errors: { path: string }[] }>('GET', path, {
    query: { ...needed, ...query } as Record<string, string | number>,
  });
  expect([status, body.errors.map((fault) => fault.path)]).toEqual([400, [name]]);
});

test("statistics are over the caller's workspaces", async () => {
  const bob = await workspace.member('MEMBER');
  expect((await stats({}, bob)).body.totalRuns).toBe(9);
  const eve = await registerVerified(server.url, 'Eve');
  const own = await createWorkspace(eve);
  await runToEnd(eve, await createFlow(eve, own, FINE));
  expect((await stats({}, eve)).body.totalRuns).toBe(1);
  expect((await stats({ workspaceId: workspace.id }, eve)).status).toBe(404);
  expect((await stats({ workspaceId: workspace.id, from: 'bad' }, eve)).status).toBe(404);
  expect((await stats({ workspaceId: own, from: 'bad' }, eve)).status).toBe(400);
  const twice = `workspaceId=${workspace.id}&workspaceId=${workspace.id}`;
  for (const path of ['/flows/recent-runs', '/flows/stats']) {
    const { status, body } = await eve.call<ProblemBody>('GET', `${path}?${twice}&limit=0`);
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'workspaceId']);
  }
});

test('one workspace with many queued runs holds up nobody else', async () => {
  await server.stop();
  await server.restart({ RUN_CONCURRENCY: '1' });
  const slow = `do:\n  - call: { call: http, with: { method: get, endpoint: '${api.url}/slow/30' } }\n`;
  const crowd = await workspace.flow(slow);
  const eve = await registerVerified(server.url, 'Eve');
  const alone = await createFlow(eve, await createWorkspace(eve), slow);
  const crowded = await Promise.all(
    Array.from({ length: 80 }, async () => (await startRun(ada, crowd)).body.id),
  );
  const single = await runToEnd(eve, alone);
  const ends = await Promise.all(crowded.map((id) => endOf(ada, id)));
  const before = ends.filter((run) => (run.completedAt ?? '') < (single.completedAt ?? ''));
  const queuedThen = ends.filter((run) => (run.startedAt ?? '') > (single.startedAt ?? ''));
  expect(before.length + queuedThen.length).toBeGreaterThanOrEqual(79);
  expect(queuedThen.length).toBeGreaterThan(10); // it did not wait for them
});
