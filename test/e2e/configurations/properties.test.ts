import type { Refusable } from '../../fixtures/e2e.ts';
import {
  createKey,
  createStore,
  firstFault,
  type StoreAnswer,
  sharedWorkspaces,
} from '../../helpers/configurations.ts';
import { type ProblemBody, request } from '../../helpers/http.ts';

const made = sharedWorkspaces();
let key: Record<string, string>;
let store: StoreAnswer;
beforeAll(async () => {
  key = await createKey(made.owner, made.workspaceId, ['configurations:properties']);
});
beforeEach(async () => {
  const properties = [
    { key: 'region', value: 'eu' },
    { key: 'tier', value: 'gold' },
  ];
  store = await createStore(made.owner, made.workspaceId, { properties });
});

const path = (name: string | number = store.externalId) => `/configurations/${name}/properties`;
const inWorkspace = () => ({ query: { workspaceId: made.workspaceId } });
const read = (name?: string | number) =>
  made.owner.call<Record<string, string>>('GET', path(name), inWorkspace());
const set = (body: unknown, headers: Record<string, string> = {}) =>
  made.owner.call<ProblemBody>('PUT', path(), { ...inWorkspace(), body, headers });
const setAll = (
  properties: unknown,
  { headers = key, workspaceId = made.workspaceId, name = store.externalId } = {},
) =>
  request<Refusable<StoreAnswer>>(made.url, 'PUT', `${path(name)}/external`, {
    query: { workspaceId },
    headers,
    body: { properties },
  });

it('are a map of values by key, by external id and by id', async () => {
  for (const name of [store.externalId, store.id]) {
    const { status, body } = await read(name);
    expect([status, body]).toEqual([200, { region: 'eu', tier: 'gold' }]);
  }
  expect((await made.agent.call('GET', path(), inWorkspace())).status).toBe(200);
});

it('are set one at a time, and each keeps its id', async () => {
  const updated = await set({ key: 'tier', value: 'silver' });
  expect([updated.status, updated.text, updated.headers['content-length']]).toEqual([200, '', '0']);
  await set({ key: 'new', value: '' });
  const { body } = await made.owner.call<StoreAnswer>('GET', `/configurations/${store.id}`);
  const [region, tier] = store.properties;
  expect(body.properties).toEqual([
    region,
    { ...tier, value: 'silver' },
    { id: expect.any(Number), key: 'new', value: '' },
  ]);
  expect(body.updatedAt > store.updatedAt).toBe(true);
});

it.each(['__proto__', 'constructor', 'toString', '$set', 'a.b', '', ' blanks ', '0', '\u202e'])(
  'may have the key %j, unless it is empty',
  async (name) => {
    const { status, body } = await set({ key: name, value: 'kept' });
    if (!name) return expect(firstFault({ status, body })).toEqual([400, 'key']);
    expect(status).toBe(200);
    const shown = (await read()).body;
    expect(Object.entries(shown)).toContainEqual([name, 'kept']);
    expect(Object.keys(shown)).toHaveLength(3);
  },
);

it('stay as they are when nothing changes', async () => {
  expect((await set({ key: 'tier', value: 'gold' })).status).toBe(200);
  expect((await made.owner.call('GET', `/configurations/${store.id}`)).body).toEqual(store);
});

it('compare If-Match with the ETag of the map', async () => {
  const { etag } = (await read()).headers;
  expect((await set({ key: 'a', value: '1' }, { 'if-match': '"other"' })).status).toBe(412);
  expect((await set({ key: 'a', value: '1' }, { 'if-match': String(etag) })).status).toBe(200);
  expect((await set({ key: 'a', value: '2' }, { 'if-match': String(etag) })).status).toBe(412);
  expect((await read()).body).toMatchObject({ a: '1' });
});

it.each<[string, unknown, string]>([
  ['no key', { value: 'x' }, 'key'],
  ['no value', { key: 'x' }, 'value'],
  ['a key of 129 characters', { key: 'k'.repeat(129), value: '' }, 'key'],
  ['a value of 4097 bytes', { key: 'x', value: 'x'.repeat(4097) }, 'value'],
  ['a value that is a number', { key: 'x', value: 1 }, 'value'],
  ['NUL', { key: 'x', value: 'a\0' }, 'value'],
  ['an unknown field', { key: 'x', value: '', id: 1 }, 'id'],
])('refuse %s', async (_what, body, field) => {
  expect(firstFault(await set(body))).toEqual([400, field]);
});

it('are at most 1,000, also one after another', async () => {
  const all = Array.from({ length: 998 }, (_, i) => ({ key: `k${i}`, value: '' }));
  expect((await setAll(all)).status).toBe(200);
  expect(firstFault(await set({ key: 'more', value: '' }))).toEqual([400, 'key']);
  expect((await set({ key: 'k1', value: 'changed' })).status).toBe(200);
  const two = [
    { key: 'k2', value: 'changed' },
    { key: 'more', value: '' },
  ];
  expect(firstFault(await setAll(two))).toEqual([400, 'properties']);
  expect((await read()).body).toMatchObject({ k1: 'changed', k2: '' });
});

it('take at most 200 KiB of JSON together', async () => {
  const most = Array.from({ length: 49 }, (_, i) => ({ key: `k${i}`, value: 'x'.repeat(4096) }));
  expect((await setAll(most)).status).toBe(200);
  expect(firstFault(await set({ key: 'more', value: 'x'.repeat(4096) }))).toEqual([400, 'value']);
  expect((await set({ key: 'k0', value: '' })).status).toBe(200);
});

it('compare If-Match and the state before the size of the store', async () => {
  const most = Array.from({ length: 49 }, (_, i) => ({ key: `k${i}`, value: 'x'.repeat(4096) }));
  expect((await setAll(most)).status).toBe(200);
  const more = { key: 'more', value: 'x'.repeat(4096) };
  expect((await set(more, { 'if-match': '"other"' })).status).toBe(412);
  const query = { workspaceId: made.workspaceId };
  await made.owner.call('PUT', `/configurations/${store.id}/archive`, { query });
  expect((await set(more)).status).toBe(409);
});

describe('set by an API key', () => {
  it('are created and updated together, and the others stay', async () => {
    const { status, body } = await setAll([
      { key: 'tier', value: 'silver' },
      { key: 'new', value: 'x' },
    ]);
    expect([status, body.id]).toEqual([200, store.id]);
    expect((await read()).body).toEqual({ region: 'eu', tier: 'silver', new: 'x' });
  });

  it('are all or nothing', async () => {
    const faulty = [
      { key: 'tier', value: 'silver' },
      { key: 'k'.repeat(129), value: '' },
    ];
    expect(firstFault(await setAll(faulty))).toEqual([400, 'properties.1.key']);
    const twice = ['a', 'b', 'a'].map((name) => ({ key: name, value: '' }));
    expect(firstFault(await setAll(twice))).toEqual([400, 'properties.2.key']);
    const many = Array.from({ length: 1001 }, (_, i) => ({ key: `${i}`, value: '' }));
    expect(firstFault(await setAll(many))).toEqual([400, 'properties']);
    expect((await read()).body).toEqual({ region: 'eu', tier: 'gold' });
  });

  it('are 401 without a key, for a bad key and for a token', async () => {
    for (const headers of [
      {},
      { 'x-api-key': 'wsk_bad' },
      { authorization: `Bearer ${made.owner.token}` },
    ]) {
      expect((await setAll([], { headers: headers as Record<string, string> })).status).toBe(401);
    }
  });

  it('say where the key goes when there is none', async () => {
    const token = { authorization: `Bearer ${made.owner.token}` };
    for (const headers of [{}, token] as Record<string, string>[]) {
      expect((await setAll([], { headers })).body).toMatchObject({
        detail: 'A valid API key is needed: X-API-KEY: <key>, or the query parameter api_key.',
      });
    }
  });

  it("are 403 for a key without the scope, and 404 for another workspace's key", async () => {
    const weak = await createKey(made.owner, made.workspaceId, ['configurations:restore']);
    expect((await setAll([], { headers: weak })).status).toBe(403);
    const scopes = ['configurations:properties'];
    const theirs = await createKey(made.stranger, made.otherWorkspaceId, scopes);
    const headers = theirs;
    expect((await setAll([], { headers })).status).toBe(404);
    expect((await setAll([], { headers, workspaceId: made.otherWorkspaceId })).status).toBe(404);
  });

  it('are 404 for an archived store, and for a name that no store has', async () => {
    await made.owner.call('PUT', `/configurations/${store.id}/archive`, inWorkspace());
    expect((await setAll([{ key: 'a', value: '' }])).status).toBe(404);
    expect((await setAll([])).status).toBe(404);
    expect((await setAll([], { name: 'nowhere' })).status).toBe(404);
    expect((await setAll('no list')).status).toBe(404);
  });

  it('are 400 without the workspace', async () => {
    const answer = await request<ProblemBody>(made.url, 'PUT', `${path()}/external`, {
      headers: key,
      body: { properties: [] },
    });
    expect(firstFault(answer)).toEqual([400, 'workspaceId']);
  });
});
