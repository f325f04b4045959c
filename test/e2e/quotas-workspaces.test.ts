import { e2e } from '../fixtures/e2e.ts';
import type { ProblemBody } from '../helpers/http.ts';
import { type Person, register } from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';

type QuotaProblem = ProblemBody & { quota: string; limit: number };

const { server } = e2e({
  env: {
    WORKSPACES_PER_PERSON: '3',
    API_KEYS_PER_WORKSPACE: '3',
    PUBLIC_URL: 'http://service.test',
  },
});

const create = (person: Person) =>
  person.call<{ id: number } & QuotaProblem>('POST', '/workspaces', { query: { name: 'Mine' } });
const createAtOnce = (person: Person, many: number) =>
  Promise.all(Array.from({ length: many }, () => create(person)));
const workspacesOf = async (person: Person) =>
  (await person.call<{ id: number }[]>('GET', '/workspaces')).body.length;

it('of many creations at once exactly as many succeed as the quota allows', async () => {
  const ada = await register(server.url);
  const answers = await createAtOnce(ada, 20);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(3);
  expect(statuses.filter((status) => status === 409)).toHaveLength(17);
  expect(await workspacesOf(ada)).toBe(3);
});

it('names the quota and its size', async () => {
  const ada = await register(server.url);
  await createAtOnce(ada, 3);
  const { status, headers, body } = await create(ada);
  expect([status, headers['content-type']]).toEqual([409, 'application/problem+json']);
  expect(body).toMatchObject({
    type: 'urn:problem:quota-reached',
    code: 'QUOTA_REACHED',
    detail: 'A person may make 3 workspaces at most.',
    quota: 'WORKSPACES_PER_PERSON',
    limit: 3,
  });
  const eve = await register(server.url, 'Eve');
  expect((await create(eve)).status).toBe(201);
});

describe('API keys of a workspace', () => {
  const createKey = (person: Person, workspaceId: number, fields: object = {}) =>
    person.call<{ id: number } & QuotaProblem>('POST', '/api-keys', {
      body: { workspaceId, name: 'Form', scopes: ['issues:create'], ...fields },
    });

  it('are as many as the quota allows, of many creations at once as well', async () => {
    const ada = await register(server.url);
    const workspaceId = (await create(ada)).body.id;
    const creating = Array.from({ length: 12 }, () => createKey(ada, workspaceId));
    const answers = await Promise.all(creating);
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(3);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      const { code, quota, limit } = body;
      expect([status, code, quota, limit]).toEqual([
        409,
        'QUOTA_REACHED',
        'API_KEYS_PER_WORKSPACE',
        3,
      ]);
    }
    const rotated = await ada.call('POST', `/api-keys/${made[0]?.body.id}/rotate`);
    expect(rotated.status).toBe(200);
    expect((await createKey(ada, workspaceId)).status).toBe(409);
    expect((await ada.call('DELETE', `/api-keys/${made[0]?.body.id}`)).status).toBe(204);
    expect((await createKey(ada, workspaceId)).status).toBe(201);
    const elsewhere = (await create(ada)).body.id;
    expect((await createKey(ada, elsewhere)).status).toBe(201);
  });

  it('count until they expire', async () => {
    const ada = await register(server.url);
    const workspaceId = (await create(ada)).body.id;
    const expiresAt = new Date(Date.now() + 2_000).toISOString();
    for (let n = 0; n < 3; n++) {
      expect((await createKey(ada, workspaceId, { expiresAt })).status).toBe(201);
    }
    await waitFor(
      'the expiry',
      async () => (await createKey(ada, workspaceId)).status === 201,
      10_000,
    );
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  });

  it('are made once by a repeat with the same Idempotency-Key, when the quota is reached', async () => {
    const ada = await register(server.url);
    const workspaceId = (await create(ada)).body.id;
    for (let n = 0; n < 2; n++) await createKey(ada, workspaceId);
    const repeat = () =>
      ada.call<{ id: number; key: string | null }>('POST', '/api-keys', {
        body: { workspaceId, name: 'Last', scopes: ['issues:create'] },
        headers: { 'idempotency-key': 'last' },
      });
    const [first, second] = [await repeat(), await repeat()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual({ ...first.body, key: null });
  });
});
