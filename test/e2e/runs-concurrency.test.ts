import { e2e } from '../fixtures/e2e.ts';
import { endOf, getRun, type RunAnswer, startRun } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

const { owner: ada, workspace, api } = e2e({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });

const limited = (limit: number, tasks: string) =>
  `metadata: { concurrency: ${limit} }\ndo:\n${tasks}`;
const call = (path: string, name = 'hit') =>
  `  - ${name}: { call: http, with: { method: get, endpoint: '${api.url}${path}' } }\n`;
const startOf = async (flowId: number) => (await startRun(ada, flowId)).body.id;
const runsOf = async (flowId: number) =>
  (await ada.call<RunAnswer[]>('GET', `/flows/${flowId}/runs`)).body;
const countOf = async (flowId: number, status: string) =>
  (await runsOf(flowId)).filter((run) => run.status === status).length;

async function startRuns(flowId: number, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < count; n++) ids.push(await startOf(flowId));
  return ids;
}

test.each([1, 3])(
  'at most %i runs are RUNNING at once, and all end in their order',
  async (limit) => {
    const path = `/hold/limit-${limit}`;
    const flowId = await workspace.flow(limited(limit, call(path)));
    const ids = await startRuns(flowId, 8);
    for (let begun = limit; begun <= ids.length; begun += limit) {
      await waitFor(`${begun} calls`, () => api.keysOf(path).length >= begun);
      expect([api.keysOf(path).length, await countOf(flowId, 'RUNNING')]).toEqual([begun, limit]);
      expect(await countOf(flowId, 'QUEUED')).toBe(ids.length - begun);
      api.letGo();
    }
    await waitFor('the last calls', () => api.keysOf(path).length === ids.length);
    api.letGo();
    const runs = await Promise.all(ids.map((id) => endOf(ada, id)));
    expect(runs.map(({ status }) => status)).toEqual(ids.map(() => 'SUCCESS'));
    if (limit > 1) return;
    const begun = runs.map(({ startedAt }) => startedAt ?? '');
    expect(begun.toSorted()).toEqual(begun);
  },
);

test('runs of other flows start at once beside a flow with many queued runs', async () => {
  const path = '/hold/crowd';
  const flowId = await workspace.flow(limited(1, call(path)));
  const ids = await startRuns(flowId, 30);
  const other = await workspace.flow(`do:\n${call('/ok/beside')}`);
  expect((await startRun(ada, other, { wait: 20_000 })).body.status).toBe('SUCCESS');
  expect(await countOf(flowId, 'QUEUED')).toBe(29);
  const { body } = await ada.call<{ content: { status: string }[] }>('GET', '/flows/recent-runs', {
    query: { workspaceId: workspace.id, limit: 31 },
  });
  expect(body.content.filter(({ status }) => status === 'QUEUED')).toHaveLength(29);
  for (const id of ids.toReversed()) await ada.call('POST', `/flows/runs/${id}/cancel`);
  for (const id of ids) expect((await endOf(ada, id, 20_000)).status).toBe('CANCELLED');
  expect(api.keysOf(path)).toHaveLength(1);
});

test('a run that waits makes room, and needs room to go on', async () => {
  const content = limited(1, `  - rest: { wait: { seconds: 2 } }\n${call('/hold/rested')}`);
  const flowId = await workspace.flow(content);
  const ids = await startRuns(flowId, 3);
  await waitFor('waits at the same time', async () => (await countOf(flowId, 'WAITING')) === 3);
  for (let begun = 1; begun <= 3; begun++) {
    await waitFor(`${begun} calls`, () => api.keysOf('/hold/rested').length === begun);
    expect(await countOf(flowId, 'RUNNING')).toBe(1);
    api.letGo();
  }
  for (const id of ids) expect((await endOf(ada, id)).status).toBe('SUCCESS');
});

test('a signal lets a run go on once there is room', async () => {
  const content = limited(
    1,
    `  - go: { listen: { to: { one: { with: { type: go } } } } }\n${call('/ok/signalled')}`,
  );
  const flowId = await workspace.flow(content);
  const [first = 0, second = 0] = await startRuns(flowId, 2);
  await waitFor('both waits', async () => (await countOf(flowId, 'WAITING')) === 2);
  for (const id of [first, second]) {
    const { status } = await ada.call('POST', `/flows/runs/${id}/signals/go`, { body: {} });
    expect(status).toBe(204);
  }
  for (const id of [first, second]) expect((await endOf(ada, id)).status).toBe('SUCCESS');
});

test('a cancel ends a run that has no room yet, and that of a running one makes room', async () => {
  const path = '/hold/cancelled';
  const flowId = await workspace.flow(limited(1, call(path)));
  const [running = 0, queued = 0, next = 0] = await startRuns(flowId, 3);
  await waitFor('the call', () => api.keysOf(path).length === 1);
  const cancel = (id: number) => ada.call<RunAnswer>('POST', `/flows/runs/${id}/cancel`);
  expect((await cancel(queued)).body.status).toBe('CANCELLED');
  expect((await getRun(ada, next)).status).toBe('QUEUED');
  await cancel(running);
  await waitFor('the call of the next run', () => api.keysOf(path).length === 2);
  expect((await endOf(ada, running)).status).toBe('CANCELLED');
  api.letGo();
  expect((await endOf(ada, next)).status).toBe('SUCCESS');
});

test('the runs of a new version have its limit', async () => {
  const path = '/hold/versions';
  const flowId = await workspace.flow(limited(3, call(path)));
  const first = await startRuns(flowId, 3);
  await waitFor('three calls', () => api.keysOf(path).length === 3);
  const content = limited(1, call(path));
  const { status } = await ada.call('PUT', '/flows', {
    body: { flowId, content },
  });
  expect(status).toBe(200);
  const later = await startRuns(flowId, 2);
  api.letGo();
  for (const id of first) expect((await endOf(ada, id)).status).toBe('SUCCESS');
  for (let n = 1; n <= 2; n++) {
    await waitFor('a call', () => api.keysOf(path).length === 3 + n);
    expect(await countOf(flowId, 'RUNNING')).toBe(1);
    api.letGo();
  }
  for (const id of later) expect((await endOf(ada, id)).status).toBe('SUCCESS');
});
