import { e2e } from '../../fixtures/e2e.ts';
import { request } from '../../helpers/http.ts';
import { addMember, createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { createFlow, startRun } from '../../helpers/runs.ts';
import { waitFor } from '../../helpers/wait.ts';
import { FLOW, WAITING_FLOW } from '../sample-world.ts';

const { server, database, owner } = e2e({ database: true, env: { WORKSPACES_PER_PERSON: '3' } });

const remove = (by: Person, id: number, headers = {}) =>
  by.call('DELETE', `/workspaces/${id}`, { headers });
const collection = (name: string) => database.collection(name);

test('an OWNER deletes a workspace, which nobody reaches from then on', async () => {
  const id = await createWorkspace(owner);
  const admin = await addMember(server.url, owner, id, 'ADMIN');
  const flowId = await createFlow(owner, id, FLOW);
  const key = await owner.call<{ key: string }>('POST', '/api-keys', {
    body: { workspaceId: id, name: 'key', scopes: ['issues:create'] },
  });
  const raise = () =>
    request(server.url, 'POST', `/workspaces/${id}/issues/external`, {
      headers: { 'x-api-key': key.body.key },
      body: { title: 'late', description: '' },
    });
  expect((await raise()).status).toBe(201);
  expect((await remove(admin, id)).status).toBe(403);
  expect((await remove(await registerVerified(server.url), id)).status).toBe(404);

  expect(await remove(owner, id)).toMatchObject({ status: 204, text: '' });
  for (const person of [owner, admin]) {
    expect((await person.call('GET', `/workspaces/${id}`)).status).toBe(404);
    expect((await person.call('GET', `/flows/${flowId}`)).status).toBe(404);
    expect((await person.call('GET', '/workspaces')).body).toEqual([]);
  }
  expect((await remove(owner, id)).status).toBe(404);
  await waitFor('the end of the key', async () => (await raise()).status === 401, 2_000);
});

test('a deletion with another ETag changes nothing', async () => {
  const id = await createWorkspace(owner);
  expect((await remove(owner, id, { 'if-match': '"other"' })).status).toBe(412);
  const { headers } = await owner.call('GET', `/workspaces/${id}`);
  expect((await remove(owner, id, { 'if-match': String(headers.etag) })).status).toBe(204);
});

test('live runs end within 5 s, and the quota of the creator is free at once', async () => {
  const id = await createWorkspace(owner);
  const flowId = await createFlow(owner, id, WAITING_FLOW);
  const started = await Promise.all([1, 2, 3].map(() => startRun(owner, flowId)));
  expect(started.map(({ status }) => status)).toEqual([202, 202, 202]);
  const others = [await createWorkspace(owner), await createWorkspace(owner)];
  expect((await owner.call('POST', '/workspaces', { query: { name: 'x' } })).status).toBe(409);
  expect((await remove(owner, id)).status).toBe(204);
  others.push(await createWorkspace(owner));
  const live = () => collection('runs').countDocuments({ workspaceId: id, live: true });
  await waitFor('the end of all runs', async () => (await live()) === 0, 5_000);
  for (const other of others) await remove(owner, other);
});

test('what names the workspace alone is gone soon; the entry of the deletion stays', async () => {
  const id = await createWorkspace(owner);
  await owner.call('POST', `/workspaces/${id}/issues`, { body: { title: 'a', description: 'b' } });
  expect((await remove(owner, id)).status).toBe(204);
  const rows = ['members', 'issues', 'audit_entries'];
  const left = async () =>
    (
      await Promise.all(rows.map((name) => collection(name).find({ workspaceId: id }).toArray()))
    ).flat();
  await waitFor('the removal', async () => (await left()).length === 1);
  expect(await left()).toEqual([
    expect.objectContaining({
      operation: 'workspaces.remove',
      resource: { type: 'workspace', id },
    }),
  ]);
  expect(
    await collection('workspaces').findOne({ _id: id as never, name: { $exists: true } }),
  ).toBe(null);
});
