import { randomBytes } from 'node:crypto';
import { withChecksum } from '../../../services/identity/api-keys/api-key.ts';
import { e2e, type FirstResult, type Refusable } from '../../fixtures/e2e.ts';
import { Workspace } from '../../fixtures/workspace.ts';
import { type ProblemBody, request } from '../../helpers/http.ts';
import { pagesOf } from '../../helpers/pages.ts';
import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, owner, workspace: home, accounts } = e2e();

let elsewhere: number;

beforeAll(async () => {
  elsewhere = await createWorkspace(owner, 'Elsewhere');
});

type Key = FirstResult<'identity.createApiKey'>;
const create = (fields: object = {}, person = owner) =>
  person.call<Refusable<Key>>('POST', '/api-keys', {
    body: { workspaceId: home.id, name: 'Form', scopes: ['issues:create'], ...fields },
  });
const list = async () => (await owner.call<Key[]>('GET', `${home.path}/api-keys`)).body;
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
});

test('a list of API keys goes page by page, by id', async () => {
  for (let n = 0; n < 3; n++) await create();
  const pages = await pagesOf<Key>(owner, `${home.path}/api-keys?limit=2`);
  expect(Math.max(...pages.map(({ length }) => length))).toBe(2);
  const ids = pages.flat().map(({ id }) => id);
  expect(ids).toEqual((await list()).map(({ id }) => id));
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
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
    ['well formed and unknown', withChecksum(randomBytes(16).toString('hex'))],
  ])('is refused with a key that is %s', async (_what, key) => {
    expect((await use(key)).status).toBe(401);
  });

  it('opens nothing that takes no key', async () => {
    const { body } = await create();
    const headers = { 'x-api-key': body.key };
    expect((await request(server.url, 'GET', '/auth/me', { headers })).status).toBe(401);
    expect(await accounts.statusOf(body.key)).toBe(401);
  });
});

describe('the keys of a member who leaves', () => {
  const SUBJECT = 'API keys of former members';
  const mailsTo = async ({ email }: Person) =>
    (await accounts.mailsTo(email)).filter(({ subject }) => subject === SUBJECT);
  const team = async () => {
    const first = await registerVerified(server.url, 'First');
    const workspace = await new Workspace(first, () => server.url).create();
    const [second, admin] = [await workspace.member('OWNER'), await workspace.member('ADMIN')];
    return { first, workspace, second, admin };
  };

  it.each(['removed', 'leaving'])('are mailed to every OWNER: a member %s', async (how) => {
    const { first, second, admin, workspace } = await team();
    const make = (name: string) => create({ name, workspaceId: workspace.id }, admin);
    const [live, revoked] = [(await make('Form')).body, (await make('Old form')).body];
    await admin.call('DELETE', `/api-keys/${revoked.id}`);
    await create({ name: 'Of somebody else', workspaceId: workspace.id }, second);
    const by = how === 'removed' ? second : admin;
    expect((await workspace.remove(by, admin.email)).status).toBe(204);
    for (const person of [first, second]) {
      const [mail] = await waitFor('the mail', async () => {
        const mails = await mailsTo(person);
        return mails.length > 0 && mails;
      });
      expect(mail?.text).toContain(`Workspace ${workspace.id}, user ${admin.id}:\n`);
      const line = `- key ${live.id}: ${live.key.slice(0, 8)}…${live.key.slice(-4)}`;
      expect(mail?.text.match(/^- .*$/gm)).toEqual([line]);
      expect(mail?.text).not.toMatch(/Analytical|Form|Lovelace/);
      expect(mail?.text).not.toContain(live.key.slice(8, -4));
    }
    expect(await mailsTo(admin)).toEqual([]);
  });

  it('are no reason for a mail where there are none', async () => {
    const { first, second, admin, workspace } = await team();
    await create({ workspaceId: workspace.id }, second);
    await workspace.remove(first, admin.email);
    await workspace.remove(first, second.email);
    await waitFor('the mail', async () => (await mailsTo(first)).length > 0);
    expect(await mailsTo(first)).toHaveLength(1);
  });

  it('are mailed to an OWNER once an hour, however many leave what workspaces', async () => {
    const { first, second, workspace } = await team();
    const puppet = await registerVerified(server.url, 'Puppet');
    const other = new Workspace(second, () => server.url);
    other.id = await createWorkspace(second, 'Visit http://attacker.example');
    await other.add(second, first.email, 'OWNER');
    for (const from of [workspace, other, other]) {
      expect((await from.add(second, puppet.email, 'ADMIN')).status).toBe(201);
      expect((await create({ workspaceId: from.id, name: 'Act now' }, puppet)).status).toBe(201);
      expect((await from.remove(second, puppet.email)).status).toBe(204);
    }
    const last = await workspace.member('ADMIN');
    const watcher = await workspace.member('OWNER');
    await create({ workspaceId: workspace.id }, last);
    await workspace.remove(first, last.email);
    await waitFor('the mail', async () => (await mailsTo(watcher)).length > 0); // asked for last
    const mails = await mailsTo(first);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).not.toMatch(/attacker|Act now|Puppet/);
  });
});
