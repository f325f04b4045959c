import { e2e, type Result } from '../fixtures/e2e.ts';
import type { Answer, ProblemBody } from '../helpers/http.ts';
import { registerVerified } from '../helpers/people.ts';
import { endOf, type RunAnswer, runTask, runToEnd, startRun } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

type Job = Result<'runs.getBulkJob'>;

const { server, owner: ada, workspace, api } = e2e();

let places = 0;
/** A part of a path that no other test uses. */
const place = () => `p${places++}`;

const call = (path: string) => api.task(path);
const flowOf = (...tasks: object[]) => workspace.flow(JSON.stringify({ do: tasks }));
const bulk = (
  kind: 'cancel' | 'retry',
  flowId: number,
  body?: object,
  person = ada,
): Promise<Answer<{ jobId: number } & ProblemBody>> =>
  person.call('POST', `/flows/${flowId}/runs/${kind}`, body ? { body } : {});
const jobOf = async (id: number): Promise<Job> =>
  (await ada.call<Job>('GET', `/flows/bulk-jobs/${id}`)).body;
async function bulkToEnd(kind: 'cancel' | 'retry', flowId: number, body?: object): Promise<Job> {
  const answer = await bulk(kind, flowId, body);
  expect([answer.status, Object.keys(answer.body)]).toEqual([202, ['jobId']]);
  return waitFor(
    'the end of the job',
    async () => {
      const job = await jobOf(answer.body.jobId);
      return job.finishedAt ? job : null;
    },
    30_000,
  );
}
const runsOf = async (flowId: number): Promise<RunAnswer[]> =>
  (await ada.call<RunAnswer[]>('GET', `/flows/${flowId}/runs`, { query: { limit: 100 } })).body;
const statusesOf = async (flowId: number) =>
  (await runsOf(flowId)).map(({ status }) => status).toSorted();
const startMany = (flowId: number, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await startRun(ada, flowId)).body.id));
const WAIT = { rest: { wait: { minutes: 10 } } };

test('cancels the live runs of a flow, and no others', async () => {
  const [flowId, other] = [await flowOf(WAIT), await flowOf(WAIT)];
  const ids = await startMany(flowId, 7);
  const [kept] = await startMany(other, 1);
  const { id: _, finishedAt, ...job } = await bulkToEnd('cancel', flowId);
  expect(job).toEqual({ kind: 'cancel', done: 7, failed: 0 });
  expect(finishedAt).toMatch(/^\d{4}-.+Z$/);
  const ends = await Promise.all(ids.map((id) => endOf(ada, id)));
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['CANCELLED']));
  expect(await statusesOf(other)).toHaveLength(1);
  expect((await ada.call('POST', `/flows/runs/${kept}/cancel`)).status).toBe(202);
});

test('cancels runs of a status, made in a period', async () => {
  const flowId = await flowOf(WAIT);
  const start = async () => (await startRun(ada, flowId)).body;
  const before = await start();
  const inside = await waitFor('a later time', async () => {
    const run = await start();
    return run.createdAt > before.createdAt ? run : null;
  });
  const from = inside.createdAt;
  await waitFor('the waits', async () =>
    (await statusesOf(flowId)).every((status) => status === 'WAITING'),
  );
  expect((await bulkToEnd('cancel', flowId, { status: ['QUEUED'], from })).done).toBe(0);
  expect((await bulkToEnd('cancel', flowId, { status: ['WAITING'], from, to: from })).done).toBe(1);
  expect((await endOf(ada, inside.id)).status).toBe('CANCELLED');
  expect((await bulkToEnd('cancel', flowId)).done).toBeGreaterThan(0);
  expect((await endOf(ada, before.id)).status).toBe('CANCELLED');
});

test('retries the failed runs of a flow from the failed step, each once', async () => {
  const [first, second] = [`/ok/${place()}`, `/flaky/6/${place()}`];
  const flowId = await flowOf({ before: call(first) }, { after: call(second) });
  const failed = [];
  for (let n = 0; n < 6; n++) failed.push((await runToEnd(ada, flowId)).id);
  const good = await runToEnd(ada, flowId);
  expect(good.status).toBe('SUCCESS');
  expect(await bulkToEnd('retry', flowId)).toMatchObject({ kind: 'retry', done: 6, failed: 0 });
  const retries = (await runsOf(flowId)).filter(({ retryOf }) => retryOf !== null);
  for (const { id } of retries) expect((await endOf(ada, id)).status).toBe('SUCCESS');
  expect(retries.map(({ retryOf }) => retryOf).toSorted()).toEqual(failed.toSorted());
  expect(api.keysOf(first)).toHaveLength(7);
});

test('retries runs of the statuses that it names', async () => {
  const flowId = await flowOf({ no: call('/status/500') });
  await runToEnd(ada, flowId);
  expect((await bulkToEnd('retry', flowId, { status: ['CANCELLED', 'TIMED_OUT'] })).done).toBe(0);
  expect((await bulkToEnd('retry', flowId, { status: ['FAILED'] })).done).toBe(1);
});

test('leaves child runs to the retries of their parents', async () => {
  const child = await flowOf({ no: call('/status/500') });
  await runToEnd(ada, await flowOf({ child: runTask(child) }));
  expect(await statusesOf(child)).toEqual(['FAILED']);
  expect(await bulkToEnd('retry', child)).toMatchObject({ done: 0, failed: 0 });
});

test('retries runs whose configuration store has been archived, with the configuration that they had', async () => {
  const flowId = await flowOf({ no: call('/status/500') });
  const store = await ada.call<{ id: number; externalId: string }>('POST', '/configurations', {
    body: { workspaceId: workspace.id, name: 'Store' },
  });
  const options = { body: { configuration: store.body.id }, query: { wait: 20_000 } };
  expect((await ada.call('POST', `/flows/${flowId}/runs`, options)).status).toBe(200);
  const path = `/configurations/${store.body.externalId}/archive`;
  expect((await ada.call('PUT', path, { query: { workspaceId: workspace.id } })).status).toBe(200);
  expect(await bulkToEnd('retry', flowId)).toMatchObject({ done: 1, failed: 0 });
});

describe('refuses', () => {
  let flowId: number;
  beforeAll(async () => {
    flowId = await flowOf(WAIT);
  });

  test.each([
    ['cancel', { status: ['FAILED'] }, 'status.0'],
    ['retry', { status: ['RUNNING'] }, 'status.0'],
    ['retry', { status: [] }, 'status'],
    ['cancel', { from: 'yesterday' }, 'from'],
    ['cancel', { from: '2026-03-02T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z' }, 'from'],
    ['cancel', { statuses: ['RUNNING'] }, 'statuses'],
  ] as const)('%s of %j', async (kind, body, path) => {
    const { status, body: problem } = await bulk(kind, flowId, body);
    expect([status, problem.errors?.[0]?.path]).toEqual([400, path]);
  });

  test("a stranger's request, and an unknown job", async () => {
    const eve = await registerVerified(server.url);
    expect((await bulk('cancel', flowId, {}, eve)).status).toBe(404);
    const { body } = await bulk('retry', flowId);
    expect((await eve.call('GET', `/flows/bulk-jobs/${body.jobId}`)).status).toBe(404);
    expect((await ada.call('GET', '/flows/bulk-jobs/999999999')).status).toBe(404);
  });
});

test('refuses a second job of the kind while the first is not finished', async () => {
  const flowId = await flowOf(WAIT);
  await startMany(flowId, 60);
  const answers = await Promise.all(Array.from({ length: 8 }, () => bulk('cancel', flowId)));
  const refused = answers.filter(({ status }) => status !== 202);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, body } of refused) {
    expect([status, body.code]).toEqual([409, 'BULK_JOB_LIVE']);
    expect(body.detail).toContain('of this kind that is not finished');
  }
  await waitFor('the end of the runs', async () =>
    (await statusesOf(flowId)).every((status) => status === 'CANCELLED'),
  );
});

test('a repeat with the same Idempotency-Key gets the same job', async () => {
  const flowId = await flowOf(WAIT);
  const headers = { 'idempotency-key': `bulk-${place()}` };
  const send = () =>
    ada.call<{ jobId: number }>('POST', `/flows/${flowId}/runs/retry`, { headers, body: {} });
  const [first, second] = [await send(), await send()];
  expect([second.status, second.body]).toEqual([202, first.body]);
});

test('the audit log has the job, and each cancel of its author', async () => {
  const flowId = await flowOf(WAIT);
  const [runId = 0] = await startMany(flowId, 1);
  const { id } = await bulkToEnd('cancel', flowId);
  await endOf(ada, runId);
  for (const [operation, resourceType, resourceId] of [
    ['runs.cancelRuns', 'bulk-job', id],
    ['runs.cancel', 'run', runId],
  ] as const) {
    const entries = await waitFor(`the entry of ${operation}`, async () => {
      const { body } = await ada.call<{ actor: { id: number } }[]>(
        'GET',
        `${workspace.path}/audit-log`,
        { query: { operation, resourceType, resourceId } },
      );
      return body.length ? body : null;
    });
    expect(entries.map(({ actor }) => actor.id)).toEqual([ada.id]);
  }
});
