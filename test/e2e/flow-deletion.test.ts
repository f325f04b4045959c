import { e2e } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import {
  countWaiting,
  endOf,
  getRun,
  type RunAnswer,
  runTask,
  runToEnd,
  startRun,
} from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';
import { FLOW, unique, WAITING_FLOW } from './sample-world.ts';

const { owner, workspace } = e2e();

const create = (content: string, name?: string) => workspace.flow(content, name);
const remove = (flowId: number, query = {}, headers = {}) =>
  owner.call<ProblemBody>('DELETE', `/flows/${flowId}`, { query, headers });

test('a deleted flow is 404, and its name is free at once, again and again', async () => {
  const name = unique('reused');
  for (let n = 0; n < 3; n++) {
    const flowId = await create(FLOW, name);
    const { versionId } = (await owner.call<{ versionId: number }>('GET', `/flows/${flowId}`)).body;
    const { status, text } = await remove(flowId);
    expect([status, text]).toEqual([204, '']);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/versions'],
      ['GET', `/versions/${versionId}`],
      ['GET', `/versions/${versionId}/diff/${versionId}`],
      ['POST', `/versions/${versionId}/restore`],
      ['GET', '/graph'],
      ['GET', '/runs'],
      ['POST', '/runs'],
      ['POST', '/runs/cancel'],
    ] as const) {
      expect([method, path, (await owner.call(method, `/flows/${flowId}${path}`)).status]).toEqual([
        method,
        path,
        404,
      ]);
    }
    const put = await owner.call('PUT', '/flows', { body: { flowId, name: 'x' } });
    expect(put.status).toBe(404);
  }
  const { body } = await owner.call<{ name: string }[]>('GET', `${workspace.path}/flows`);
  expect(body.map((flow) => flow.name)).not.toContain(name);
});

test('the runs of a deleted flow stay readable, with its name, and count in statistics', async () => {
  const name = unique('kept');
  const flowId = await create(FLOW, name);
  const { id } = await runToEnd(owner, flowId);
  expect((await remove(flowId)).status).toBe(204);
  expect(await getRun(owner, id)).toMatchObject({ id, flowId, flowName: name, status: 'SUCCESS' });
  expect((await owner.call('GET', `/flows/runs/${id}/steps`)).body).toHaveLength(2);
  const recent = await owner.call<{ content: { flowName: string }[] }>(
    'GET',
    '/flows/recent-runs',
    {
      query: { workspaceId: workspace.id, limit: 50 },
    },
  );
  expect(JSON.stringify(recent.body)).toContain(name);
  const stats = await owner.call<{ totalRuns: number; mostFrequentFlow: unknown }>(
    'GET',
    '/flows/stats',
    { query: { workspaceId: workspace.id, flowId } },
  );
  expect(stats.status).toBe(200);
  expect(stats.body).toMatchObject({ totalRuns: 1, mostFrequentFlow: expect.anything() });
  const retry = await owner.call<ProblemBody>('POST', `/flows/runs/${id}/retry`);
  expect([retry.status, retry.body.code]).toEqual([409, 'FLOW_HAS_NO_VERSION']);
});

test('the schedules and webhooks of a deleted flow are removed', async () => {
  const flowId = await create(FLOW);
  const times = { cron: '0 6 * * *', timeZone: 'UTC', misfire: 'SKIP', overlap: 'ALLOW' };
  const made = await owner.call<{ id: number }>('POST', `/flows/${flowId}/schedules`, {
    body: times,
  });
  const hook = await owner.call<{ url: string }>('POST', `/flows/${flowId}/webhooks`, { body: {} });
  expect([made.status, hook.status]).toEqual([201, 201]);
  expect((await remove(flowId)).status).toBe(204);
  const { pathname } = new URL(hook.body.url);
  for (const [method, path] of [
    ['PUT', `/flows/schedules/${made.body.id}`],
    ['POST', pathname],
  ] as const) {
    await waitFor(`404 of ${path}`, async () => {
      const { status } = await owner.call(method, path, { body: {} });
      return status === 404;
    });
  }
});

test('with live runs a flow is deleted only with cancel=true, which cancels them', async () => {
  const flowId = await create(WAITING_FLOW);
  const { body: run } = await startRun(owner, flowId);
  const refused = await remove(flowId);
  expect([refused.status, refused.body.code]).toEqual([409, 'RUNS_LIVE']);
  expect((await remove(flowId, { cancel: 'yes' })).status).toBe(400);
  expect((await remove(flowId, { cancel: 'true' }, { 'if-match': '"stale"' })).status).toBe(412);
  expect((await remove(flowId, { cancel: 'true' })).status).toBe(204);
  expect((await endOf(owner, run.id)).status).toBe('CANCELLED');
});

test('a live child run counts, and its parent goes on with the error of the cancel', async () => {
  const child = await create(WAITING_FLOW);
  const parent = await create(JSON.stringify({ do: [{ call: runTask(child) }] }));
  const { body: run } = await startRun(owner, parent);
  await waitFor('the child run', async () => (await countWaiting(owner, child)) === 1);
  expect((await remove(child)).status).toBe(409);
  expect((await remove(child, { cancel: 'true' })).status).toBe(204);
  const ended: RunAnswer = await endOf(owner, run.id);
  expect([ended.status, ended.error?.title]).toEqual(['FAILED', 'CANCELLED']);
  const again = await runToEnd(owner, parent);
  expect([again.status, again.error?.title]).toEqual(['FAILED', 'FLOW_NOT_FOUND']);
});

test('runs that are started beside the deletion have ended, or were refused', async () => {
  const flowId = await create(WAITING_FLOW);
  const starts = Array.from({ length: 20 }, () => startRun(owner, flowId));
  const removal = remove(flowId, { cancel: 'true' });
  const answers = await Promise.all(starts);
  expect((await removal).status).toBe(204);
  for (const { status, body } of answers) {
    if (status === 202) expect((await endOf(owner, body.id)).status).toBe('CANCELLED');
    else expect(status).toBe(404);
  }
});

test('a configuration store keeps the pair of a deleted flow, which can be written back and removed', async () => {
  const flowId = await create(FLOW);
  const { body: store } = await owner.call<{ id: number }>('POST', '/configurations', {
    body: { workspaceId: workspace.id, name: 'x', flowCredentialPairs: [{ flowId }] },
  });
  expect((await remove(flowId)).status).toBe(204);
  const path = `/configurations/${store.id}`;
  const { body } = await owner.call<Record<string, unknown>>('GET', path);
  expect(body).toMatchObject({ flowCredentialPairs: [{ flowId }] });
  const put = await owner.call('PUT', '/configurations', { body });
  expect([put.status, put.body]).toEqual([200, body]);
  expect((await owner.call('DELETE', `${path}/flow-credentials/${flowId}`)).status).toBe(200);
  expect((await owner.call('GET', path)).body).toMatchObject({ flowCredentialPairs: [] });
});
