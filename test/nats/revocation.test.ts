import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsUser } from '../../deploy/nats-users-file.ts';
import { e2e } from '../fixtures/e2e.ts';
import { request } from '../helpers/http.ts';
import { PASSWORD, type Person, register } from '../helpers/people.ts';
import { CORE } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

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
  ['with its event', (users: readonly NatsUser[]) => users],
  ['although its event is lost', withoutEvents],
])('at each of three gateways within a second, %s, is refused', (_how, users) => {
  afterAll(() => system.ground.nats.forgetRefusals());
  const {
    server: system,
    owner,
    workspace,
  } = e2e({ processes: ['api', 'api', 'api', CORE, CORE], users });

  type Ask = (url: string) => Promise<number>;
  const withToken =
    (token: string, path = '/auth/me'): Ask =>
    async (at) =>
      (await request(at, 'GET', path, { token })).status;

  /** Revokes while all gateways are asked all the time. No request later than a second after the answer is accepted. */
  async function assertRefused(ask: Ask, status: number, revoke: () => Promise<unknown>) {
    const { urls } = system;
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
    (await request<T>(system.url, 'POST', path, { body })).body;
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
    const person = await register(system.url);
    const { accessToken } = await signIn(person);
    const body = { currentPassword: PASSWORD, newPassword: 'eleven quiet harbours' };
    const change = () => person.call('PUT', '/auth/password', { body });
    await assertRefused(withToken(accessToken), 401, change);
  });

  test('a person whose account was deleted', async () => {
    const person = await register(system.url);
    const remove = () => person.call('DELETE', `/users/${person.id}`);
    await assertRefused(withToken(person.token, '/workspaces'), 401, remove);
  });

  test('a member who was removed', async () => {
    const member = await workspace.member('MEMBER');
    const remove = () => workspace.remove(owner, member.email);
    await assertRefused(withToken(member.token, workspace.path), 404, remove);
  });

  test('a member whose role was lowered', async () => {
    const { email, token } = await workspace.member('ADMIN');
    const lower = () => workspace.changeRole(owner, email, 'GUEST');
    await assertRefused(withToken(token, `${workspace.path}/api-keys`), 403, lower);
  });

  /** A new API key, and a request with it that makes nothing. */
  async function newKey() {
    const { id, headers } = await workspace.key('issues:create');
    const use: Ask = async (at) => {
      const path = `${workspace.issues}/external`;
      const { status } = await request(at, 'POST', path, { headers, body: {} });
      return status === 400 ? 200 : status; // the key is accepted, and no issue is made
    };
    return { id, use };
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
