import { randomBytes } from 'node:crypto';
import { withChecksum } from '../../../services/identity/api-keys/api-key.ts';
import { e2e, type FirstResult, type Refusable } from '../../fixtures/e2e.ts';
import { type Answer, type ProblemBody, request } from '../../helpers/http.ts';
import {
  addMember,
  createWorkspace,
  type Person,
  register,
  registerVerified,
} from '../../helpers/people.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, owner, workspace: home } = e2e();

let elsewhere: number;

beforeAll(async () => {
  elsewhere = await createWorkspace(owner, 'Elsewhere');
});

type Key = FirstResult<'identity.createApiKey'>;
const create = (fields: object = {}, person = owner) =>
  person.call<Refusable<Key>>('POST', '/api-keys', {
    body: { workspaceId: home.id, name: 'Form', scopes: ['issues:create'], ...fields },
  });
const list = async (query = {}) =>
  (await owner.call<Key[]>('GET', `${home.path}/api-keys`, { query })).body;
const listed = async (id: number) => (await list()).find((key) => key.id === id);
/** Reports an issue with a key. */
const use = (key: string, workspace = home.id) =>
  request<ProblemBody>(server.url, 'POST', `/workspaces/${workspace}/issues/external`, {
    headers: { 'x-api-key': key },
    body: { title: 'It broke', description: '' },
  });

describe('a new API key', () => {
  it('is shown once, and never in the list', async () => {
    const { status, body } = await create({ scopes: ['flows:run', 'issues:create', 'flows:run'] });
    expect(status).toBe(201);
    expect(body.key).toMatch(/^wsk_[0-9A-Za-z]{38}$/);
    const { key, ...shown } = body;
    expect(shown).toEqual({
      id: expect.any(Number),
      workspaceId: home.id,
      name: 'Form',
      prefix: key.slice(0, 8),
      lastFour: key.slice(-4),
      scopes: ['flows:run', 'issues:create'],
      createdBy: { type: 'person', id: owner.id, name: 'Owner Lovelace' },
      createdAt: expect.any(String),
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(await listed(body.id)).toEqual(shown);
  });

  it.each([
    ['scopes', []],
    ['scopes.0', ['everything']],
    ['name', ''],
    ['expiresAt', '2020-01-01T00:00:00.000Z'],
    ['expiresAt', 'tomorrow'],
    ['expiresAt', '2099-01-01'],
    ['workspaceId', '1'],
  ])('is refused with a bad %s: %p', async (path, value) => {
    const { status, body } = await create({ [path.split('.')[0] ?? '']: value });
    expect([status, body.errors?.[0]?.path]).toEqual([400, path]);
  });

  it('is made, listed and revoked by admins; for others the workspace decides what they see', async () => {
    const { body: key } = await create();
    const reach = (person: Person) =>
      Promise.all([
        create({}, person),
        person.call('GET', `${home.path}/api-keys`),
        person.call('DELETE', `/api-keys/${key.id}`),
      ]).then((answers) => answers.map(({ status }) => status));
    expect(await reach(await register(server.url, 'Stranger'))).toEqual([404, 404, 404]);
    for (const role of ['MEMBER', 'AGENT', 'GUEST']) {
      expect(await reach(await home.member(role))).toEqual([403, 403, 403]);
    }
    expect(await reach(await home.member('ADMIN'))).toEqual([201, 200, 204]);
    expect((await owner.call('DELETE', '/api-keys/987654321')).status).toBe(404);
  });
});

describe('a list of API keys', () => {
  it('goes page by page, by id', async () => {
    for (let n = 0; n < 3; n++) await create();
    const path = `${home.path}/api-keys`;
    const ids: number[] = [];
    let next: string | undefined = `${path}?limit=2`;
    while (next) {
      const page: Answer<Key[]> = await owner.call<Key[]>('GET', next);
      expect(page.body.length).toBeLessThanOrEqual(2);
      ids.push(...page.body.map(({ id }) => id));
      next = /^<([^>]+)>; rel="next"$/.exec(String(page.headers.link))?.[1];
    }
    expect(ids).toEqual((await list()).map(({ id }) => id));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    const { status } = await owner.call('GET', path, { query: { after: 'nonsense' } });
    expect(status).toBe(400);
  });
});

describe('calling with an API key', () => {
  it('works in its workspace, within its scopes', async () => {
    const { body } = await create();
    expect((await use(body.key)).status).toBe(201);
    expect((await use(body.key, elsewhere)).status).toBe(404);
    const { body: other } = await create({ scopes: ['flows:read'] });
    expect((await use(other.key)).status).toBe(403);
  });

  it('is known by its last use, without the caller waiting for that', async () => {
    const { body } = await create();
    await use(body.key);
    const { lastUsedAt } = await waitFor('the note of the use', async () => {
      const key = await listed(body.id);
      return key?.lastUsedAt ? { lastUsedAt: key.lastUsedAt } : null;
    });
    expect(Date.now() - Date.parse(lastUsedAt)).toBeLessThan(60_000);
  });

  it('is refused within a second of its revocation, which is kept in the list', async () => {
    const { body } = await create();
    expect((await use(body.key)).status).toBe(201);
    expect((await owner.call('DELETE', `/api-keys/${body.id}`)).status).toBe(204);
    await waitFor('the refusal', async () => (await use(body.key)).status === 401);
    const revokedAt = (await listed(body.id))?.revokedAt;
    expect(revokedAt).toEqual(expect.any(String));
    expect((await owner.call('DELETE', `/api-keys/${body.id}`)).status).toBe(204);
    expect((await listed(body.id))?.revokedAt).toBe(revokedAt);
  });

  it('is refused once it has expired', async () => {
    const expiresAt = new Date(Date.now() + 3_000).toISOString();
    const { body } = await create({ expiresAt });
    expect((await use(body.key)).status).toBe(201);
    await waitFor('the expiry', async () => (await use(body.key)).status === 401, 10_000);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  });

  it.each([
    ['made up', 'wsk_nonsense'],
    ['with a checksum that does not fit', `wsk_${'0'.repeat(38)}`],
    ['well formed and unknown', withChecksum(randomBytes(16).toString('hex'))],
  ])('is refused with a key that is %s', async (_what, key) => {
    expect((await use(key)).status).toBe(401);
  });

  it('opens nothing that takes no key', async () => {
    const { body } = await create();
    const headers = { 'x-api-key': body.key };
    expect((await request(server.url, 'GET', '/auth/me', { headers })).status).toBe(401);
    expect((await request(server.url, 'GET', '/auth/me', { token: body.key })).status).toBe(401);
  });
});

describe('the keys of a member who leaves', () => {
  const SUBJECT = 'API keys of former members';
  const mailsTo = async ({ email }: Person) =>
    (
      await request<{ subject: string; text: string }[]>(server.url, 'GET', '/dev/outbox', {
        query: { to: email },
      })
    ).body.filter(({ subject }) => subject === SUBJECT);
  const team = async () => {
    const first = await registerVerified(server.url, 'First');
    const workspace = await createWorkspace(first, 'Difference Engines');
    const join = (role: string) => addMember(server.url, first, workspace, role);
    return { first, workspace, second: await join('OWNER'), admin: await join('ADMIN') };
  };
  const remove = (by: Person, who: Person, workspace: number) =>
    by.call('DELETE', `/workspaces/${workspace}/users`, { query: { userEmail: who.email } });

  it.each(['removed', 'leaving'])('are mailed to every OWNER: a member %s', async (how) => {
    const { first, second, admin, workspace } = await team();
    const make = (name: string) => create({ name, workspaceId: workspace }, admin);
    const [live, revoked] = [(await make('Form')).body, (await make('Old form')).body];
    await admin.call('DELETE', `/api-keys/${revoked.id}`);
    await create({ name: 'Of somebody else', workspaceId: workspace }, second);
    expect((await remove(how === 'removed' ? second : admin, admin, workspace)).status).toBe(204);
    for (const person of [first, second]) {
      const [mail] = await waitFor('the mail', async () => {
        const mails = await mailsTo(person);
        return mails.length > 0 && mails;
      });
      expect(mail?.text).toContain(`Workspace ${workspace}, user ${admin.id}:\n`);
      const line = `- key ${live.id}: ${live.key.slice(0, 8)}…${live.key.slice(-4)}`;
      expect(mail?.text.match(/^- .*$/gm)).toEqual([line]);
      expect(mail?.text).not.toMatch(/Difference|Form|Lovelace/);
      expect(mail?.text).not.toContain(live.key.slice(8, -4));
    }
    expect(await mailsTo(admin)).toEqual([]);
  });

  it('are no reason for a mail where there are none', async () => {
    const { first, second, admin, workspace } = await team();
    await create({ workspaceId: workspace }, second);
    await remove(first, admin, workspace);
    await remove(first, second, workspace);
    await waitFor('the mail', async () => (await mailsTo(first)).length > 0);
    expect(await mailsTo(first)).toHaveLength(1);
  });

  it('are mailed to an OWNER once an hour, however many leave what workspaces', async () => {
    const { first, second, workspace } = await team();
    const puppet = await registerVerified(server.url, 'Puppet');
    const other = await createWorkspace(second, 'Visit http://attacker.example');
    const users = (id: number) => `/workspaces/${id}/users`;
    const email = first.email;
    await second.call('POST', users(other), { query: { userEmail: email, role: 'OWNER' } });
    for (const id of [workspace, other, other]) {
      const query = { userEmail: puppet.email, role: 'ADMIN' };
      expect((await second.call('POST', users(id), { query })).status).toBe(201);
      expect((await create({ workspaceId: id, name: 'Act now' }, puppet)).status).toBe(201);
      expect((await remove(second, puppet, id)).status).toBe(204);
    }
    const last = await addMember(server.url, first, workspace, 'ADMIN');
    const watcher = await addMember(server.url, first, workspace, 'OWNER');
    await create({ workspaceId: workspace }, last);
    await remove(first, last, workspace);
    await waitFor('the mail', async () => (await mailsTo(watcher)).length > 0); // asked for last
    const mails = await mailsTo(first);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).not.toMatch(/attacker|Act now|Puppet/);
  });
});
