import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsUser } from '../../deploy/nats-users.ts';
import { request } from '../helpers/http.ts';
import { TestNats } from '../helpers/nats.ts';
import { addMember, createWorkspace, PASSWORD, type Person, register } from '../helpers/people.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { CORE, type Ground, startDatabase, startPart, USERS } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

const GATEWAYS = 3;
/** Milliseconds after the answer to a revocation within which the last request is accepted. */
const REVOKED_WITHIN_MS = 1_000;
/** Milliseconds for which requests go on after that, none of which may be accepted. */
const LONGER_MS = 300;
/** Milliseconds between two requests at one gateway. */
const EVERY_MS = 15;

/** The users of NATS without the right to send events to other processes: each broadcast is lost. */
const withoutEvents = (users: readonly NatsUser[]): NatsUser[] =>
  users.map((user) => ({
    ...user,
    publish: user.publish.filter((subject) => !subject.endsWith('.EVENT.>')),
  }));

describe.each([
  ['with its event', USERS],
  ['although its event is lost', withoutEvents(USERS)],
])('at each of three gateways within a second, %s, is refused', (_how, users) => {
  let nats: TestNats;
  let urls: string[];
  let url: string;
  let owner: Person;
  let workspaceId: number;

  beforeAll(async () => {
    const dataDir = dataFolder();
    nats = await TestNats.start(users);
    const ground: Ground = { nats, database: await startDatabase(dataDir), dataDir };
    for (let n = 0; n < 2; n++) startPart(ground, CORE);
    const gateways = Array.from({ length: GATEWAYS }, () => startPart(ground, 'api'));
    urls = (await Promise.all(gateways.map(({ ready }) => ready))).map((ready) => ready ?? '');
    [url = ''] = urls;
    owner = await register(url, 'Owner');
    workspaceId = await createWorkspace(owner);
  });
  afterAll(async () => {
    nats.forgetRefusals();
    await stopServers();
  });

  type Ask = (url: string) => Promise<number>;
  const withToken =
    (token: string, path = '/auth/me'): Ask =>
    async (at) =>
      (await request(at, 'GET', path, { token })).status;

  /** Revokes while all gateways are asked all the time. No request later than a second after the answer is accepted. */
  async function assertRefused(ask: Ask, status: number, revoke: () => Promise<unknown>) {
    const lastAccepted = urls.map(() => 0);
    const refusals = new Set<number>();
    let isOver = false;
    const asking = urls.map(async (at, gateway) => {
      while (!isOver) {
        const start = performance.now();
        const answer = await ask(at);
        if (answer === 200) lastAccepted[gateway] = start;
        else refusals.add(answer);
        await sleep(EVERY_MS);
      }
    });
    let answered = 0;
    try {
      await waitFor('an acceptance at each gateway', () => Math.min(...lastAccepted) > 0);
      expect([...refusals]).toEqual([]);
      await revoke();
      answered = performance.now();
      await sleep(REVOKED_WITHIN_MS + LONGER_MS);
    } finally {
      isOver = true;
      await Promise.all(asking);
    }
    for (const last of lastAccepted) expect(last - answered).toBeLessThan(REVOKED_WITHIN_MS);
    expect(await Promise.all(urls.map(ask))).toEqual(urls.map(() => status));
    expect([...refusals]).toEqual([status]);
  }

  const post = async <T>(path: string, body: object) =>
    (await request<T>(url, 'POST', path, { body })).body;
  const signIn = ({ email }: Person) =>
    post<{ accessToken: string; refreshToken: string }>('/auth/sign-in', {
      email,
      password: PASSWORD,
    });

  test('a session that signed out', async () => {
    const { accessToken, refreshToken } = await signIn(owner);
    const signOut = () => post('/auth/sign-out', { refreshToken });
    await assertRefused(withToken(accessToken), 401, signOut);
  });

  test('a session that its person ended elsewhere', async () => {
    const { accessToken } = await signIn(owner);
    const sessions = await owner.call<{ id: string; current: boolean }[]>('GET', '/auth/sessions');
    const other = sessions.body.find(({ current }) => !current);
    const end = () => owner.call('DELETE', `/auth/sessions/${other?.id}`);
    await assertRefused(withToken(accessToken), 401, end);
  });

  test('a session before a change of the password', async () => {
    const person = await register(url);
    const { accessToken } = await signIn(person);
    const body = { currentPassword: PASSWORD, newPassword: 'eleven quiet harbours' };
    const change = () => person.call('PUT', '/auth/password', { body });
    await assertRefused(withToken(accessToken), 401, change);
  });

  test('a person whose account was deleted', async () => {
    const person = await register(url);
    const remove = () => person.call('DELETE', `/users/${person.id}`);
    await assertRefused(withToken(person.token, '/workspaces'), 401, remove);
  });

  test('a member who was removed', async () => {
    const member = await addMember(url, owner, workspaceId, 'MEMBER');
    const remove = () =>
      owner.call('DELETE', `/workspaces/${workspaceId}/users`, {
        query: { userEmail: member.email },
      });
    await assertRefused(withToken(member.token, `/workspaces/${workspaceId}`), 404, remove);
  });

  test('a member whose role was lowered', async () => {
    const { email, token } = await addMember(url, owner, workspaceId, 'ADMIN');
    const lower = () =>
      owner.call('PUT', `/workspaces/${workspaceId}/users/role`, {
        query: { userEmail: email, role: 'GUEST' },
      });
    await assertRefused(withToken(token, `/workspaces/${workspaceId}/api-keys`), 403, lower);
  });

  /** A new API key, and a request with it that makes nothing. */
  async function newKey() {
    const body = { workspaceId, name: 'Form', scopes: ['issues:create'] };
    const { body: made } = await owner.call<{ id: number; key: string }>('POST', '/api-keys', {
      body,
    });
    const use: Ask = async (at) => {
      const headers = { 'x-api-key': made.key };
      const path = `/workspaces/${workspaceId}/issues/external`;
      const { status } = await request(at, 'POST', path, { headers, body: {} });
      return status === 400 ? 200 : status; // the key is accepted, and no issue is made
    };
    return { id: made.id, use };
  }

  test('an API key that was revoked', async () => {
    const { id, use } = await newKey();
    await assertRefused(use, 401, () => owner.call('DELETE', `/api-keys/${id}`));
  });

  test('an API key that a rotation has replaced', async () => {
    const { id, use } = await newKey();
    await assertRefused(use, 401, () => owner.call('POST', `/api-keys/${id}/rotate`));
  });
});
