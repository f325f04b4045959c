import {
  createStore,
  FLOW,
  firstFault,
  type StoreAnswer,
  sharedWorkspaces,
} from '../../helpers/configurations.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { createFlow } from '../../helpers/runs.ts';

const made = sharedWorkspaces();
let flowId2: number;
let store: StoreAnswer;
beforeAll(async () => {
  flowId2 = await createFlow(made.owner, made.workspaceId, FLOW);
});
beforeEach(async () => {
  const flowCredentialPairs = [{ flowId: made.flowId }];
  store = await createStore(made.owner, made.workspaceId, { flowCredentialPairs });
});

const path = () => `/configurations/${store.id}/flow-credentials`;
const read = () => made.owner.call<Record<string, object>>('GET', path());
const add = <T = StoreAnswer>(body: unknown) => made.owner.call<T>('POST', path(), { body });

it('are a map of pairs by flow id', async () => {
  const { status, body } = await read();
  expect([status, body]).toEqual([200, { [made.flowId]: store.flowCredentialPairs[0] }]);
});

it('are added for a flow, and replaced for one that has some', async () => {
  const added = await add({ flowId: flowId2, sourceAuthCredentialId: null });
  expect(added.status).toBe(200);
  const [first, second] = added.body.flowCredentialPairs;
  expect([first, second]).toEqual([
    store.flowCredentialPairs[0],
    { ...first, id: expect.any(Number), flowId: flowId2 },
  ]);
  const again = await add({ flowId: flowId2 });
  expect([again.status, again.body]).toEqual([200, added.body]);
});

it('are removed with an empty object as the answer, and 404 afterwards', async () => {
  const { status, text, headers } = await made.owner.call('DELETE', `${path()}/${made.flowId}`);
  expect([status, text, headers.etag]).toEqual([200, '{}', undefined]);
  expect((await made.owner.call('DELETE', `${path()}/${made.flowId}`)).status).toBe(404);
  expect((await made.owner.call('DELETE', `${path()}/${flowId2}`)).status).toBe(404);
  expect((await read()).body).toEqual({});
});

it('compare If-Match with the ETag of the map when one is removed', async () => {
  const { etag } = (await read()).headers;
  const at = `${path()}/${made.flowId}`;
  const stale = await made.owner.call('DELETE', at, { headers: { 'if-match': '"other"' } });
  expect(stale.status).toBe(412);
  const fresh = await made.owner.call('DELETE', at, { headers: { 'if-match': String(etag) } });
  expect(fresh.status).toBe(200);
});

it.each<[string, () => unknown, string]>([
  ['no flow', () => ({}), 'flowId'],
  ['a flow that is text', () => ({ flowId: '1' }), 'flowId'],
  ["another workspace's flow", () => ({ flowId: made.otherFlowId }), 'flowId'],
  ['an unknown flow', () => ({ flowId: 9_007_199_254_740_000 }), 'flowId'],
  [
    'a shown credential',
    () => ({ flowId: flowId2, sourceAuthCredential: null }),
    'sourceAuthCredential',
  ],
])('refuse %s', async (_what, bodyOf, field) => {
  expect(firstFault(await add<ProblemBody>(bodyOf()))).toEqual([400, field]);
});

it('are 404 for a store of another workspace', async () => {
  const { stranger, flowId } = made;
  expect((await stranger.call('GET', path())).status).toBe(404);
  expect((await stranger.call('POST', path(), { body: { flowId } })).status).toBe(404);
  expect((await stranger.call('DELETE', `${path()}/${flowId}`)).status).toBe(404);
});
