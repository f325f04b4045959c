import { randomUUID } from 'node:crypto';
import { e2e, type Result } from '../../fixtures/e2e.ts';
import { NEW_PASSWORD } from '../../helpers/accounts.ts';
import { type ProblemBody, request } from '../../helpers/http.ts';
import { pagesOf } from '../../helpers/pages.ts';
import { PASSWORD, type Person, register } from '../../helpers/people.ts';

const { server, stranger, accounts } = e2e();
const { refresh, statusOf, refused } = accounts;

type Sessions = Result<'identity.listSessions'>;
const by = (userAgent?: string) =>
  userAgent === undefined ? {} : { headers: { 'user-agent': userAgent } };
const signIn = async ({ email }: Person, userAgent?: string) =>
  (await accounts.signIn(email, PASSWORD, by(userAgent))).body;
const list = async (token: string, query = {}) =>
  (await request<Sessions>(server.url, 'GET', '/auth/sessions', { token, query })).body;
const end = (token: string, id: string) =>
  request<ProblemBody>(server.url, 'DELETE', `/auth/sessions/${id}`, { token });
const idOf = async (token: string) => (await list(token)).find(({ current }) => current)?.id ?? '';

describe('the sessions of a person', () => {
  it('are listed with their clients, newest first, and the present one is marked', async () => {
    const person = await register(server.url);
    const { accessToken } = await signIn(person, 'Second/2.0 (phone)');
    const sessions = await list(accessToken);
    expect(sessions).toEqual([
      {
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        lastUsedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        address: '127.0.0.1',
        userAgent: 'Second/2.0 (phone)',
        current: true,
      },
      expect.objectContaining({ address: '127.0.0.1', userAgent: null, current: false }),
    ]);
    expect((await list(person.token)).map(({ current }) => current)).toEqual([false, true]);
    expect(await list(stranger.token)).toHaveLength(1);
  });

  it('go page by page', async () => {
    const person = await register(server.url);
    for (let n = 0; n < 4; n++) await signIn(person);
    const pages = await pagesOf<Sessions[number]>(person, '/auth/sessions?limit=2');
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    const ids = (await list(person.token)).map(({ id }) => id);
    expect(pages.flat().map(({ id }) => id)).toEqual(ids);
    const odd = Buffer.from('[1,2]').toString('base64url');
    const { status } = await person.call('GET', '/auth/sessions', { query: { after: odd } });
    expect(status).toBe(400);
  });

  it('show the client of the last refresh', async () => {
    const person = await register(server.url);
    const [before] = await list(person.token);
    const { body } = await refresh(person.refreshToken, by('Later/3'));
    const [after] = await list(body.accessToken);
    expect(after).toMatchObject({ id: before?.id, userAgent: 'Later/3', current: true });
    expect(after?.createdAt).toBe(before?.createdAt);
    expect(Date.parse(after?.lastUsedAt ?? '')).toBeGreaterThan(
      Date.parse(before?.lastUsedAt ?? ''),
    );
  });

  it('show a User-Agent on one line, cut', async () => {
    const person = await register(server.url);
    const { accessToken } = await signIn(person, `\t a\tb   c ${'x'.repeat(9_000)}`);
    const [{ userAgent } = { userAgent: '' }] = await list(accessToken);
    expect(userAgent).toMatch(/^a b c x{194}$/);
  });

  it('are shown to persons only', async () => {
    expect((await request(server.url, 'GET', '/auth/sessions')).status).toBe(401);
    expect((await request(server.url, 'DELETE', '/auth/sessions/x')).status).toBe(401);
  });
});

describe('ending a session', () => {
  it('is in force within a second, for access and refresh token, and leaves the others', async () => {
    const person = await register(server.url);
    const other = await signIn(person);
    expect(await statusOf(other.accessToken)).toBe(200); // known to the gateway now
    const id = await idOf(other.accessToken);
    const { status, text } = await end(person.token, id);
    const answered = performance.now();
    expect([status, text]).toEqual([204, '']);
    await refused(other.accessToken, 1_000 - (performance.now() - answered));
    expect((await refresh(other.refreshToken)).status).toBe(401);
    expect(await statusOf(person.token)).toBe(200);
    expect((await list(person.token)).map((session) => session.id)).not.toContain(id);
  });

  it('may end the present one', async () => {
    const person = await register(server.url);
    expect((await end(person.token, await idOf(person.token))).status).toBe(204);
    await refused(person.token, 1_000);
  });

  it("answers 404 to another person's, an ended, an expired and an unknown one alike", async () => {
    const [person, stranger] = [await register(server.url), await register(server.url)];
    const [foreign, other] = [await idOf(stranger.token), await signIn(person)];
    const ended = await idOf(other.accessToken);
    expect((await end(person.token, ended)).status).toBe(204);
    const ids = [foreign, ended, randomUUID(), '1', '%E2%80%AE', '$ne', 'x'.repeat(3_000)];
    const answers = await Promise.all(ids.map((id) => end(person.token, id)));
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 404));
    const details = answers.map(({ body }) => JSON.stringify({ ...body, instance: '' }));
    expect(new Set(details).size).toBe(1);
    expect(await statusOf(stranger.token)).toBe(200);
  });

  it('succeeds once of many at once', async () => {
    const person = await register(server.url);
    const id = await idOf((await signIn(person)).accessToken);
    const answers = await Promise.all(Array.from({ length: 6 }, () => end(person.token, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404]);
  });

  it('is not needed for those that a change of the password has ended', async () => {
    const person = await register(server.url);
    const other = await idOf((await signIn(person)).accessToken);
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await person.call('PUT', '/auth/password', { body })).status).toBe(204);
    expect((await list(person.token)).map(({ current }) => current)).toEqual([true]);
    expect((await end(person.token, other)).status).toBe(404);
  });
});
