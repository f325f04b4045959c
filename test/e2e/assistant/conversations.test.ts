import { e2e, type Result } from '../../fixtures/e2e.ts';
import { type ProblemBody, request } from '../../helpers/http.ts';
import type { Person } from '../../helpers/people.ts';

type Conversation = Result<'assistant.getConversation'>;

const { server, owner, stranger, workspace } = e2e();

let admin: Person;

beforeAll(async () => {
  admin = await workspace.member('ADMIN');
});

const begin = async (person: Person, title?: string): Promise<Conversation> => {
  const body = { workspaceId: workspace.id, ...(title ? { title } : {}) };
  const answer = await person.call<Conversation>('POST', '/agent/conversations', { body });
  expect(answer.status).toBe(201);
  return answer.body;
};

it('begins without messages, and is read and listed by its creator', async () => {
  const conversation = await begin(owner, 'Open issues');
  expect(conversation).toMatchObject({
    workspaceId: workspace.id,
    title: 'Open issues',
    createdBy: { type: 'person', id: owner.id },
  });
  const { body, headers } = await owner.call(`GET`, `/agent/conversations/${conversation.id}`);
  expect(body).toEqual({ ...conversation, messages: [] });
  expect(headers['x-messages-omitted']).toBeUndefined();
  const path = `${workspace.path}/conversations`;
  const listed = await owner.call<Conversation[]>('GET', path);
  expect(listed.body).toContainEqual(conversation);
  expect((await begin(owner)).title).toBeNull();
});

it('does not exist for anybody else, of whatever role', async () => {
  const { id } = await begin(owner);
  const elsewhere = 9_007_199_254_740_000;
  for (const method of ['GET', 'DELETE']) {
    const foreign = await admin.call<ProblemBody>(method, `/agent/conversations/${id}`);
    const unknown = await admin.call<ProblemBody>(method, `/agent/conversations/${elsewhere}`);
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect({ ...foreign.body, instance: '' }).toEqual({
      ...unknown.body,
      detail: unknown.body.detail.replace(String(elsewhere), String(id)),
      instance: '',
    });
  }
  const listed = await admin.call<Conversation[]>('GET', `${workspace.path}/conversations`);
  expect(listed.body).toEqual([]);
  expect((await owner.call('GET', `/agent/conversations/${id}`)).status).toBe(200);
});

it('is deleted unless it has changed since it was read', async () => {
  const path = `/agent/conversations/${(await begin(owner)).id}`;
  const { headers } = await owner.call('GET', path);
  const stale = await owner.call('DELETE', path, { headers: { 'if-match': '"other"' } });
  expect(stale.status).toBe(412);
  const etag = String(headers.etag);
  expect((await owner.call('DELETE', path, { headers: { 'if-match': etag } })).status).toBe(204);
  expect((await owner.call('GET', path)).status).toBe(404);
});

it('belongs to a service account as to a person', async () => {
  const { body: account } = await owner.call<{ clientId: string; clientSecret: string }>(
    'POST',
    '/service-accounts',
    { body: { workspaceId: workspace.id, name: 'Bot', role: 'MEMBER' } },
  );
  const { clientId: client_id, clientSecret: client_secret } = account;
  const { body: session } = await request<{ access_token: string }>(
    server.url,
    'POST',
    '/auth/token',
    {
      body: { grant_type: 'client_credentials', client_id, client_secret },
    },
  );
  const token = session.access_token;
  const begun = await request<Conversation>(server.url, 'POST', '/agent/conversations', {
    token,
    body: { workspaceId: workspace.id },
  });
  expect([begun.status, begun.body.createdBy.type]).toEqual([201, 'service-account']);
  const path = `/agent/conversations/${begun.body.id}`;
  expect((await request(server.url, 'GET', path, { token })).status).toBe(200);
  expect((await owner.call('GET', path)).status).toBe(404);
});

it('is not open to guests and in a workspace of others', async () => {
  const guest = await workspace.member('GUEST');
  const body = { workspaceId: workspace.id };
  expect((await guest.call('POST', '/agent/conversations', { body })).status).toBe(403);
  expect((await stranger.call('POST', '/agent/conversations', { body })).status).toBe(404);
});
