import { randomUUID } from 'node:crypto';
import { e2e, type FirstResult, type Refusable } from '../../fixtures/e2e.ts';
import type { Answer } from '../../helpers/http.ts';

const { owner, workspace } = e2e();

type Account = FirstResult<'identity.createServiceAccount'>;
const create = (fields: object = {}, by = owner): Promise<Answer<Refusable<Account>>> =>
  by.call('POST', '/service-accounts', {
    body: { workspaceId: workspace.id, name: 'Robot', ...fields },
  });

describe('a new service account', () => {
  it('shows its secret once', async () => {
    const { status, body, headers } = await create();
    expect(status).toBe(201);
    expect(headers.location).toBe(`/service-accounts/${body.id}`);
    const { clientSecret, ...shown } = body;
    expect(clientSecret).toMatch(/^[\w-]{43}$/);
    expect(shown).toEqual({
      id: expect.any(Number),
      workspaceId: workspace.id,
      name: 'Robot',
      clientId: expect.stringMatching(/^sa_[\w-]{20}$/),
      role: 'AGENT',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      createdBy: { type: 'person', id: owner.id, name: 'Owner Lovelace' },
    });
    expect((await owner.call('GET', `/service-accounts/${body.id}`)).body).toEqual(shown);
    const list = await owner.call<Account[]>('GET', `${workspace.path}/service-accounts`);
    expect(list.body.find(({ id }) => id === body.id)).toEqual(shown);
    expect(list.text).not.toContain(clientSecret);
  });

  it.each([
    ['role', 'OWNER'],
    ['role', 'KING'],
    ['role', null],
    ['name', ''],
    ['name', null],
    ['workspaceId', '1'],
    ['clientSecret', 'chosen'],
  ])('is refused with %s %p', async (field, value) => {
    const { status, body } = await create({ [field]: value });
    expect([status, body.errors?.[0]?.path]).toEqual([400, field]);
  });

  it('may have the role of the ADMIN who makes it', async () => {
    const admin = await workspace.member('ADMIN');
    expect((await create({ role: 'ADMIN' }, admin)).status).toBe(201);
  });

  it('is made once for an Idempotency-Key, and a repeat shows no secret', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = () =>
      owner.call<Account>('POST', '/service-accounts', {
        headers,
        body: { workspaceId: workspace.id, name: 'Once' },
      });
    const { body: first } = await send();
    expect((await send()).body).toEqual({ ...first, clientSecret: null });
  });
});

describe('a change of a service account', () => {
  it('is its name alone', async () => {
    const { id } = (await create()).body;
    const path = `/service-accounts/${id}`;
    const renamed = await owner.call<Account>('PUT', path, { body: { name: ' Other ' } });
    expect(renamed.body).toMatchObject({ id, name: 'Other', role: 'AGENT' });
    for (const body of [{ id: id + 1 }, { workspaceId: workspace.id + 1 }]) {
      expect((await owner.call('PUT', path, { body })).status).toBe(400);
    }
  });

  it('is its removal, which answers with zero bytes', async () => {
    const { id } = (await create()).body;
    const gone = await owner.call('DELETE', `/service-accounts/${id}`);
    expect([gone.status, gone.text, gone.headers['content-length']]).toEqual([200, '', '0']);
    for (const method of ['GET', 'DELETE']) {
      expect((await owner.call(method, `/service-accounts/${id}`)).status).toBe(404);
    }
  });
});
