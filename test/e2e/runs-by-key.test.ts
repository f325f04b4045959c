import { SCOPES } from '../../contract/access-rule.ts';
import type { Refusable } from '../fixtures/e2e.ts';
import { e2e, type FirstResult } from '../fixtures/e2e.ts';
import { EventStream } from '../helpers/event-stream.ts';
import { type ProblemBody, type RequestOptions, request } from '../helpers/http.ts';
import { createWorkspace } from '../helpers/people.ts';
import { type RunAnswer, runToEnd, stepsOf } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

type Key = Pick<FirstResult<'identity.createApiKey'>, 'id' | 'key'>;
type Started = Refusable<RunAnswer> & { startedBy: unknown };

const { server, owner: ada, workspace: home } = e2e();

let flowId: number;
const keys = new Map<string, Key>();

const createKey = async (scopes: readonly string[], workspace = home.id): Promise<Key> => {
  const body = { workspaceId: workspace, name: 'Partner', scopes };
  const { status, body: key } = await ada.call<Key>('POST', '/api-keys', { body });
  expect(status).toBe(201);
  return key;
};

beforeAll(async () => {
  flowId = await home.flow(`do: [{ twice: { set: { x: '\${ $input.n * 2 }' } } }]`);
  for (const scope of SCOPES) keys.set(scope, await createKey([scope]));
}, 240_000);

const keyOf = (scope: string): Key => keys.get(scope) ?? { id: 0, key: '' };
const byKey = ({ key }: Key) => ({ 'x-api-key': key });
const start = ({ query, ...options }: RequestOptions) =>
  request<Started>(server.url, 'POST', `/flows/${flowId}/runs/external`, {
    query: { wait: 20_000, ...query },
    body: { input: { n: 21 } },
    ...options,
  });
const others = (scope: string) => SCOPES.filter((other) => other !== scope);

describe('POST /flows/{flowId}/runs/external', () => {
  it('runs the flow, waits for its end, and names the key as its starter', async () => {
    const key = keyOf('flows:run');
    const { status, body } = await start({ headers: byKey(key) });
    expect([status, body.status, body.output]).toEqual([200, 'SUCCESS', { x: 42 }]);
    expect(body.startedBy).toEqual({ type: 'api-key', id: key.id, name: 'Partner' });
    expect((await ada.call('GET', `/flows/runs/${body.id}`)).body).toEqual(body);
  });

  it('answers 202 at once without wait, and takes the key in the query', async () => {
    const { status, body } = await request<Started>(
      server.url,
      'POST',
      `/flows/${flowId}/runs/external`,
      { query: { api_key: keyOf('flows:run').key }, body: { input: { n: 1 } } },
    );
    expect([status, body.id]).toEqual([202, expect.any(Number)]);
  });

  it('starts one run for two requests with an Idempotency-Key', async () => {
    const headers = { ...byKey(keyOf('flows:run')), 'idempotency-key': 'order-1' };
    const first = await start({ headers });
    const second = await start({ headers });
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  it('is in the audit log, by the key', async () => {
    const key = keyOf('flows:run');
    const { body } = await start({ headers: byKey(key) });
    const query = { operation: 'runs.startExternal', resourceId: body.id };
    const path = `${home.path}/audit-log`;
    const log = await waitFor('the audit entry', async () => {
      const { body: entries } = await ada.call<object[]>('GET', path, { query });
      return entries.length > 0 ? entries : null;
    });
    const actor = { type: 'api-key', id: key.id, name: 'Partner' };
    expect(log).toMatchObject([{ actor, resource: { type: 'run', id: body.id } }]);
  });

  it('refuses what the start by a member refuses', async () => {
    const headers = byKey(keyOf('flows:run'));
    const paths = (errors: ProblemBody['errors']) => errors?.map(({ path }) => path);
    const version = await start({ headers, body: { versionId: 'x' } });
    expect([version.status, paths(version.body.errors)]).toEqual([400, ['versionId']]);
    const configuration = await start({ headers, body: { configuration: 'nowhere' } });
    expect([configuration.status, paths(configuration.body.errors)]).toEqual([
      400,
      ['configuration'],
    ]);
    expect((await start({ headers, query: { wait: 30_001 } })).status).toBe(400);
  });

  it('is 401 for a token, and 404 for the key of another workspace', async () => {
    expect((await start({ token: ada.token })).status).toBe(401);
    const foreign = await createKey(['flows:run'], await createWorkspace(ada));
    const { status, body } = await start({ headers: byKey(foreign) });
    expect([status, body.detail]).toEqual([404, `There is no flow ${flowId}.`]);
  });

  it.each(others('flows:run'))('is 403 for a key with the scope %s alone', async (scope) => {
    expect((await start({ headers: byKey(keyOf(scope)) })).status).toBe(403);
  });
});

describe('a key with flows:read', () => {
  const read = (path: string, scope: string) =>
    request<ProblemBody>(server.url, 'GET', path, { headers: byKey(keyOf(scope)) });

  it('reads a run, its steps and its events, as a member does', async () => {
    const run = await runToEnd(ada, flowId, { n: 2 });
    const path = `/flows/runs/${run.id}`;
    const [step] = await stepsOf(ada, run.id);
    for (const at of [path, `${path}/steps`, `${path}/steps/${step?.id}`]) {
      const { status, body } = await read(at, 'flows:read');
      expect([status, body]).toEqual([200, (await ada.call('GET', at)).body]);
      for (const other of others('flows:read')) expect((await read(at, other)).status).toBe(403);
    }
    const headers = byKey(keyOf('flows:read'));
    const stream = new EventStream(server.url, `${path}/events`, { headers });
    await stream.ended();
    expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: run });
    for (const other of others('flows:read')) {
      expect((await read(`${path}/events`, other)).status).toBe(403);
    }
  });

  it('reads nothing else of flows and runs', async () => {
    const query = `?workspaceId=${home.id}`;
    for (const path of [
      `/flows/${flowId}`,
      `/flows/${flowId}/runs`,
      `/flows/stats${query}`,
      `/flows/recent-runs${query}`,
    ]) {
      expect((await read(path, 'flows:read')).status).toBe(401);
    }
  });
});
