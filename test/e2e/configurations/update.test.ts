import type { AuditEntry } from '../../../contract/audit.ts';
import {
  createStore,
  FLOW,
  firstFault,
  type StoreAnswer,
  sharedWorkspaces,
  uniqueName,
} from '../../helpers/configurations.ts';
import type { ProblemBody, RequestOptions } from '../../helpers/http.ts';
import { createFlow } from '../../helpers/runs.ts';
import { waitFor } from '../../helpers/wait.ts';

const made = sharedWorkspaces();
let flowId2: number;
let store: StoreAnswer;
beforeAll(async () => {
  flowId2 = await createFlow(made.owner, made.workspaceId, FLOW);
});
beforeEach(async () => {
  const { owner, workspaceId, flowId } = made;
  store = await createStore(owner, workspaceId, {
    externalId: uniqueName('store'),
    flowCredentialPairs: [{ flowId }, { flowId: flowId2 }],
    properties: [
      { key: 'region', value: 'eu' },
      { key: 'tier', value: 'gold' },
    ],
  });
});

const put = <T = StoreAnswer>(body: object, options: RequestOptions = {}) =>
  made.owner.call<T>('PUT', '/configurations', { body: { id: store.id, ...body }, ...options });
const get = async () =>
  (await made.owner.call<StoreAnswer>('GET', `/configurations/${store.id}`)).body;

async function refusal(body: object) {
  const answer = await put<ProblemBody>(body);
  expect(await get()).toEqual(store);
  return firstFault(answer);
}

it('replaces what is given, and leaves the rest', async () => {
  const { status, body } = await put({ name: ' New ' });
  expect([status, body]).toEqual([
    200,
    { ...store, name: 'New', updatedAt: expect.not.stringMatching(store.updatedAt) },
  ]);
  const emptied = await put({ properties: [] });
  expect(emptied.body).toMatchObject({ name: 'New', properties: [] });
  expect(emptied.body.flowCredentialPairs).toEqual(store.flowCredentialPairs);
  expect((await put({ flowCredentialPairs: [] })).body.flowCredentialPairs).toEqual([]);
});

it('keeps the ids of properties by key and those of pairs by flow', async () => {
  const [region, tier] = store.properties;
  const [first, second] = store.flowCredentialPairs;
  const { body } = await put({
    properties: [
      { key: 'new', value: '' },
      { key: 'tier', value: 'silver' },
      { id: 7, key: 'region', value: 'eu' },
    ],
    flowCredentialPairs: [{ flowId: flowId2 }, { flowId: made.flowId }],
  });
  expect(body.properties).toEqual([
    { id: expect.any(Number), key: 'new', value: '' },
    { ...tier, value: 'silver' },
    region,
  ]);
  expect(body.flowCredentialPairs).toEqual([second, first]);
  expect([region?.id, tier?.id]).not.toContain(body.properties[0]?.id);
});

it('changes nothing with what GET answered, and with an empty update', async () => {
  for (const body of [await get(), {}]) {
    expect((await put(body)).body).toEqual(store);
  }
  expect(await get()).toEqual(store);
});

it('takes the ids of credentials in place of the shown credentials, where both say the same', async () => {
  const pairs = store.flowCredentialPairs.map((pair) => ({
    ...pair,
    sourceAuthCredentialId: null,
  }));
  expect((await put({ flowCredentialPairs: pairs })).body).toEqual(store);
});

it.each<[string, () => object, string]>([
  ['a contradicting workspace', () => ({ workspaceId: made.otherWorkspaceId }), 'workspaceId'],
  ['another external id', () => ({ externalId: 'another' }), 'externalId'],
  ['a name of blanks', () => ({ name: ' ' }), 'name'],
  ['null', () => ({ properties: null }), 'properties'],
  [
    'a credential that contradicts the shown one',
    () => ({
      flowCredentialPairs: [
        { flowId: made.flowId, sourceAuthCredential: { id: 2 }, sourceAuthCredentialId: 1 },
      ],
    }),
    'flowCredentialPairs.0.sourceAuthCredentialId',
  ],
  [
    "another workspace's flow",
    () => ({ flowCredentialPairs: [{ flowId: made.otherFlowId }] }),
    'flowCredentialPairs.0.flowId',
  ],
  [
    'a flow twice',
    () => ({ flowCredentialPairs: [{ flowId: made.flowId }, { flowId: made.flowId }] }),
    'flowCredentialPairs.1.flowId',
  ],
  [
    'a key twice',
    () => ({ properties: ['a', 'a'].map((key) => ({ key, value: '' })) }),
    'properties.1.key',
  ],
  [
    'too many bytes',
    () => ({
      properties: Array.from({ length: 55 }, (_, i) => ({ key: `${i}`, value: 'x'.repeat(4000) })),
    }),
    'properties',
  ],
  ['an unknown field', () => ({ secret: 'x' }), 'secret'],
])('refuses %s', async (_what, bodyOf, path) => {
  expect(await refusal(bodyOf())).toEqual([400, path]);
});

it('compares If-Match, after the body and before the state', async () => {
  const headers = { 'if-match': '"other"' };
  expect((await put({ name: 'x' }, { headers })).status).toBe(412);
  const foreign = { flowCredentialPairs: [{ flowId: made.otherFlowId }] };
  expect((await put(foreign, { headers })).status).toBe(400);
  const query = { workspaceId: made.workspaceId };
  await made.owner.call('PUT', `/configurations/${store.id}/archive`, { query });
  expect((await put({ name: 'x' }, { headers })).status).toBe(412);
  expect((await put({ name: 'x' })).status).toBe(409);
});

it('checks the size with what is stored after If-Match and the state, and that of the body alone before', async () => {
  const headers = { 'if-match': '"other"' };
  const propertiesOf = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ key: `k${i}`, value: 'x'.repeat(4096) }));
  const bytesOf = (properties: object[]) =>
    Buffer.byteLength(JSON.stringify({ name: '', properties, flowCredentialPairs: [] }));
  const most = [...propertiesOf(49), { key: 'last', value: '' }];
  const last = { key: 'last', value: 'x'.repeat(200 * 1024 - bytesOf(most)) };
  const withoutIds = { properties: most.with(-1, last) }; // with ids and the name it takes too much
  expect(await refusal(withoutIds)).toEqual([400, 'properties']);
  expect((await put(withoutIds, { headers })).status).toBe(412);
  expect((await put({ properties: propertiesOf(55) }, { headers })).status).toBe(400);
  const query = { workspaceId: made.workspaceId };
  await made.owner.call('PUT', `/configurations/${store.id}/archive`, { query });
  expect((await put(withoutIds)).status).toBe(409);
});

it('leaves an entry that names the changed fields, and none of their values', async () => {
  const requestId = uniqueName('request');
  const headers = { 'x-request-id': requestId };
  await put({ name: 'Named', properties: [{ key: 'private', value: 'private' }] }, { headers });
  const path = `/workspaces/${made.workspaceId}/audit-log`;
  const log = async () => (await made.owner.call<AuditEntry[]>('GET', path)).body;
  const entry = await waitFor('the entry', async () =>
    (await log()).find((each) => each.requestId === requestId),
  );
  expect(entry.operation).toBe('configurations.update');
  expect(entry.changed.toSorted()).toEqual(['name', 'properties']);
  expect(JSON.stringify(await log())).not.toContain('private');
});
