import {
  createKey,
  createStore,
  type StoreAnswer,
  sharedWorkspaces,
  uniqueName,
} from '../../helpers/configurations.ts';
import { type ProblemBody, request } from '../../helpers/http.ts';
import { pagesOf } from '../../helpers/pages.ts';

const made = sharedWorkspaces();
let key: Record<string, string>;
beforeAll(async () => {
  key = await createKey(made.owner, made.workspaceId, ['configurations:restore']);
});

const newStore = (more: object = {}) => createStore(made.owner, made.workspaceId, more);
const move = <T = StoreAnswer>(name: string | number, to: 'archive' | 'restore') =>
  made.owner.call<T>('PUT', `/configurations/${name}/${to}`, {
    query: { workspaceId: made.workspaceId },
  });
const restoreExternal = (name: string | number, headers: Record<string, string> = key) =>
  request<ProblemBody>(made.url, 'PUT', `/configurations/${name}/restore/external`, { headers });
const list = async (query: string) =>
  (await pagesOf<StoreAnswer>(made.owner, `/configurations/workspace/${made.workspaceId}?${query}`))
    .flat()
    .map(({ id }) => id);

it('moves a store out of the listing, and back', async () => {
  const { id, externalId } = await newStore();
  const archived = await move(externalId, 'archive');
  expect([archived.status, archived.body]).toMatchObject([200, { id, status: 'ARCHIVED' }]);
  expect(await list('archived=false')).not.toContain(id);
  expect(await list('archived=true')).toContain(id);
  expect((await made.owner.call('GET', `/configurations/${id}`)).body).toEqual(archived.body);
  const restored = await move(id, 'restore');
  expect([restored.status, restored.body]).toMatchObject([200, { id, status: 'ACTIVE' }]);
  expect(await list('')).toContain(id);
  expect(await list('archived=true')).not.toContain(id);
});

it('restores by the key of the workspace, by external id and by id', async () => {
  const { id, externalId } = await newStore();
  for (const name of [externalId, id]) {
    await move(id, 'archive');
    const { status, body } = await restoreExternal(name);
    expect([status, body]).toMatchObject([200, { id, status: 'ACTIVE' }]);
  }
  const keyInQuery = { api_key: key['x-api-key'] };
  await move(id, 'archive');
  const path = `/configurations/${id}/restore/external`;
  expect((await request(made.url, 'PUT', path, { query: keyInQuery })).status).toBe(200);
});

it('is 404 to restore what is not archived, in both forms', async () => {
  const { id, externalId } = await newStore();
  expect((await move<ProblemBody>(externalId, 'restore')).body.code).toBe('NOT_FOUND');
  expect((await restoreExternal(externalId)).status).toBe(404);
  expect((await move(id, 'restore')).status).toBe(404);
});

it('compares If-Match of a restore after the store is found to be archived', async () => {
  const { id } = await newStore();
  const restore = () =>
    made.owner.call('PUT', `/configurations/${id}/restore`, {
      query: { workspaceId: made.workspaceId },
      headers: { 'if-match': '"other"' },
    });
  expect((await restore()).status).toBe(404);
  await move(id, 'archive');
  expect((await restore()).status).toBe(412);
});

it('is 404 for a store of another workspace, and for a name that no store has', async () => {
  const theirs = await createStore(made.stranger, made.otherWorkspaceId);
  for (const name of [theirs.id, theirs.externalId, 'nowhere', '%20', '0', 'x'.repeat(500)]) {
    expect((await move(name, 'archive')).status).toBe(404);
    expect((await restoreExternal(name)).status).toBe(404);
  }
});

it('finds a store whose external id is a word of a path', async () => {
  const { id } = await newStore({ externalId: 'properties' });
  expect((await move('properties', 'archive')).body).toMatchObject({ id, status: 'ARCHIVED' });
});

it('is 400 without the workspace, and 400 for a workspace that is no id', async () => {
  const { externalId } = await newStore();
  for (const query of ['', '?workspaceId=x']) {
    const path = `/configurations/${externalId}/archive${query}`;
    const { status, body } = await made.owner.call<ProblemBody>('PUT', path);
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'workspaceId']);
  }
});

it('is read-only while it is archived', async () => {
  const { owner, workspaceId, flowId } = made;
  const store = await newStore({ flowCredentialPairs: [{ flowId }] });
  const { body: archived } = await move(store.id, 'archive');
  const at = `/configurations/${store.id}`;
  const query = { workspaceId };
  const answers = await Promise.all([
    owner.call<ProblemBody>('PUT', '/configurations', { body: { id: store.id, name: 'x' } }),
    owner.call<ProblemBody>('PUT', '/configurations', { body: { id: store.id } }),
    owner.call<ProblemBody>('PUT', `${at}/properties`, { query, body: { key: 'a', value: 'b' } }),
    owner.call<ProblemBody>('POST', `${at}/flow-credentials`, { body: { flowId } }),
    owner.call<ProblemBody>('DELETE', `${at}/flow-credentials/${flowId}`),
    move<ProblemBody>(store.id, 'archive'),
  ]);
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
    answers.map(() => [409, 'ARCHIVED']),
  );
  expect((await owner.call('GET', at)).body).toEqual(archived);
  expect((await owner.call('GET', `${at}/properties`, { query })).status).toBe(200);
});

describe('the external restore', () => {
  it('is 401 without a key, for a bad key and for a token', async () => {
    const { id } = await newStore();
    expect((await restoreExternal(id, {})).status).toBe(401);
    expect((await restoreExternal(id, { 'x-api-key': 'wsk_bad' })).status).toBe(401);
    const authorization = `Bearer ${made.owner.token}`;
    expect((await restoreExternal(id, { authorization })).status).toBe(401);
  });

  it("is 403 for a key without the scope, and 404 for another workspace's key", async () => {
    const { id } = await newStore();
    await move(id, 'archive');
    const weak = await createKey(made.owner, made.workspaceId, ['configurations:properties']);
    const theirs = await createKey(made.stranger, made.otherWorkspaceId, [
      'configurations:restore',
    ]);
    expect((await restoreExternal(id, weak)).status).toBe(403);
    expect((await restoreExternal(uniqueName('none'), weak)).status).toBe(403);
    expect((await restoreExternal(id, theirs)).status).toBe(404);
    expect((await made.owner.call('GET', `/configurations/${id}`)).body).toMatchObject({
      status: 'ARCHIVED',
    });
  });
});
