import {
  createStore,
  type ShownCredential,
  type StoreAnswer,
  sharedWorkspaces,
  uniqueName,
} from '../../helpers/configurations.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import type { Person } from '../../helpers/people.ts';

/** Rounds of the race between a new reference and the deletion of its credential. */
const ROUNDS = 15;

const made = sharedWorkspaces();
let warehouse: ShownCredential;
let shop: ShownCredential;
let theirs: ShownCredential;

async function createCredential(
  owner: Person,
  workspaceId: number,
  name = uniqueName('credential'),
): Promise<ShownCredential> {
  const body = {
    workspaceId,
    name,
    authType: 'NONE',
    allowedOrigins: ['https://api.example.com'],
  };
  const answer = await owner.call<{ id: number }>('POST', '/auth-credentials', { body });
  if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.text}`);
  return { id: answer.body.id, name, authType: 'NONE' };
}

beforeAll(async () => {
  warehouse = await createCredential(made.owner, made.workspaceId);
  shop = await createCredential(made.owner, made.workspaceId);
  theirs = await createCredential(made.stranger, made.otherWorkspaceId);
});

const pairOf = (more: object = {}) => ({ flowId: made.flowId, ...more });
const withPair = (more: object) =>
  createStore(made.owner, made.workspaceId, { flowCredentialPairs: [pairOf(more)] });
const put = <T = StoreAnswer>(store: StoreAnswer, pair: object) =>
  made.owner.call<T>('PUT', '/configurations', {
    body: { id: store.id, flowCredentialPairs: [pair] },
  });
const remove = ({ id }: ShownCredential) =>
  made.owner.call<ProblemBody>('DELETE', `/auth-credentials/${id}`);

it('are shown with id, name and type alone', async () => {
  const { id } = await withPair({
    sourceAuthCredentialId: warehouse.id,
    destinationAuthCredentialId: shop.id,
  });
  const shown = { sourceAuthCredential: warehouse, destinationAuthCredential: shop };
  const { body } = await made.owner.call<StoreAnswer>('GET', `/configurations/${id}`);
  expect(body.flowCredentialPairs).toMatchObject([shown]);
  const map = await made.owner.call('GET', `/configurations/${id}/flow-credentials`);
  expect(map.body).toMatchObject({ [made.flowId]: shown });
  const list = await made.owner.call<StoreAnswer[]>(
    'GET',
    `/configurations/workspace/${made.workspaceId}`,
  );
  expect(list.body.find((store) => store.id === id)).toEqual(body);
});

it('stay when what GET answered is sent back, change by id, and are cleared by null', async () => {
  const store = await withPair({ sourceAuthCredentialId: warehouse.id });
  const [pair] = store.flowCredentialPairs;
  expect((await put(store, { ...pair })).body).toEqual(store);
  const changed = await put(store, pairOf({ destinationAuthCredential: { id: shop.id } }));
  expect(changed.body.flowCredentialPairs).toEqual([
    { ...pair, sourceAuthCredential: null, destinationAuthCredential: shop },
  ]);
  const cleared = await put(store, pairOf({ destinationAuthCredentialId: null }));
  expect(cleared.body.flowCredentialPairs).toMatchObject([{ destinationAuthCredential: null }]);
});

it('must be of the workspace, and the answer names the field', async () => {
  const store = await withPair({});
  const faultOf = ({ status, body }: { status: number; body: ProblemBody }) => [
    status,
    body.errors?.[0]?.path,
  ];
  for (const id of [theirs.id, 9_007_199_254_740_000]) {
    const byId = await put<ProblemBody>(store, pairOf({ sourceAuthCredentialId: id }));
    expect(faultOf(byId)).toEqual([400, 'flowCredentialPairs.0.sourceAuthCredentialId']);
    const shown = await put<ProblemBody>(store, pairOf({ destinationAuthCredential: { id } }));
    expect(faultOf(shown)).toEqual([400, 'flowCredentialPairs.0.destinationAuthCredential.id']);
    const path = `/configurations/${store.id}/flow-credentials`;
    const body = pairOf({ destinationAuthCredentialId: id });
    const added = await made.owner.call<ProblemBody>('POST', path, { body });
    expect(faultOf(added)).toEqual([400, 'destinationAuthCredentialId']);
  }
  const { body } = await made.owner.call('GET', `/configurations/${store.id}`);
  expect(body).toEqual(store);
});

it('are not deleted while a store uses them, an archived one as well', async () => {
  const credential = await createCredential(made.owner, made.workspaceId);
  const store = await withPair({ sourceAuthCredentialId: credential.id });
  const query = { workspaceId: made.workspaceId };
  await made.owner.call('PUT', `/configurations/${store.id}/archive`, { query });
  const refused = await remove(credential);
  expect([refused.status, refused.body.code]).toEqual([409, 'CREDENTIAL_IN_USE']);
  await made.owner.call('PUT', `/configurations/${store.id}/restore`, { query });
  await put(store, pairOf());
  expect((await remove(credential)).status).toBe(204);
});

it('are either used or deleted when a new reference and the deletion meet', async () => {
  const store = await withPair({});
  for (let round = 0; round < ROUNDS; round++) {
    const credential = await createCredential(made.owner, made.workspaceId);
    const body = pairOf({ sourceAuthCredentialId: credential.id });
    const path = `/configurations/${store.id}/flow-credentials`;
    const [added, removed] = await Promise.all([
      made.owner.call<StoreAnswer>('POST', path, { body }),
      remove(credential),
    ]);
    const { body: after } = await made.owner.call<StoreAnswer>(
      'GET',
      `/configurations/${store.id}`,
    );
    const { status } = await made.owner.call('GET', `/auth-credentials/${credential.id}`);
    const isUsed = after.flowCredentialPairs[0]?.sourceAuthCredential?.id === credential.id;
    expect([added.status, removed.status]).toEqual(isUsed ? [200, 409] : [400, 204]);
    expect(status).toBe(isUsed ? 200 : 404);
  }
});

it('are written back unchanged by a store as large as stores may be', async () => {
  const { owner, workspaceId } = made;
  const { id: credentialId } = await createCredential(owner, workspaceId, '中'.repeat(200));
  const createFlow = (_: unknown, i: number) =>
    owner.call<{ id: number }>('POST', '/flows', { body: { workspaceId, name: `Flow ${i}` } });
  const flows = await Promise.all(Array.from({ length: 500 }, createFlow));
  const store = await createStore(owner, workspaceId, {
    flowCredentialPairs: flows.map(({ body: { id: flowId } }) => ({
      flowId,
      sourceAuthCredentialId: credentialId,
      destinationAuthCredentialId: credentialId,
    })),
    properties: Array.from({ length: 38 }, (_, i) => ({
      key: `key${i}`,
      value: '中'.repeat(1_300),
    })),
  });
  expect(Buffer.byteLength(JSON.stringify(store))).toBeGreaterThan(800 * 1024);
  const back = await owner.call<StoreAnswer>('PUT', '/configurations', { body: store });
  expect([back.status, back.body]).toEqual([200, store]);
});
