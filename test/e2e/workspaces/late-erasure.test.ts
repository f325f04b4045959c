import { e2e } from '../../fixtures/e2e.ts';
import { request } from '../../helpers/http.ts';
import { createWorkspace } from '../../helpers/people.ts';

const { server, database, owner } = e2e({ database: true });

it('a deleted workspace is unreachable for its machines while its erasure waits', async () => {
  const id = await createWorkspace(owner);
  const account = await owner.call<{ clientId: string; clientSecret: string }>(
    'POST',
    '/service-accounts',
    { body: { workspaceId: id, name: 'Robot', role: 'ADMIN' } },
  );
  const key = await owner.call<{ key: string }>('POST', '/api-keys', {
    body: { workspaceId: id, name: 'key', scopes: ['issues:create'] },
  });
  const { clientId: client_id, clientSecret: client_secret } = account.body;
  const body = { grant_type: 'client_credentials', client_id, client_secret };
  const token = (
    await request<{ access_token: string }>(server.url, 'POST', '/auth/token', { body })
  ).body.access_token;
  // the erasure in identity waits, as after failures of an earlier step
  await database.collection('identity_erasures').insertOne({
    _id: `workspace/${id}` as never,
    kind: 'workspace',
    targetId: id,
    addresses: [],
    requestedAt: new Date(),
    pass: 0,
    step: null,
    after: null,
    dueAt: new Date(Date.now() + 600_000),
    lease: null,
    failures: 8,
  });
  expect((await owner.call('DELETE', `/workspaces/${id}`)).status).toBeLessThan(300);
  await new Promise((r) => setTimeout(r, 3000));
  const got: Record<string, number> = {};
  const add = async (name: string, method: string, path: string, options: object) => {
    got[name] = (await request(server.url, method, path, options)).status;
  };
  await add('owner issues', 'GET', `/workspaces/${id}/issues`, { token: owner.token });
  await add('robot issues', 'GET', `/workspaces/${id}/issues`, { token });
  await add('robot keys', 'GET', `/workspaces/${id}/api-keys`, { token });
  await add('robot new key', 'POST', '/api-keys', {
    token,
    body: { workspaceId: id, name: 'late', scopes: ['issues:create'] },
  });
  await add('robot issue', 'POST', `/workspaces/${id}/issues`, {
    token,
    body: { title: 'late', description: '' },
  });
  await add('key issue', 'POST', `/workspaces/${id}/issues/external`, {
    headers: { 'x-api-key': key.body.key },
    body: { title: 'late', description: '' },
  });
  expect(got).toEqual(Object.fromEntries(Object.keys(got).map((name) => [name, 404])));
});
