import { e2e } from '../../fixtures/e2e.ts';
import { NEW_PASSWORD as NEW } from '../../helpers/accounts.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { PASSWORD, type Person, register } from '../../helpers/people.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, accounts } = e2e();
const { post, refresh, statusOf, refused } = accounts;
const signIn = async (email: string, password?: string) =>
  (await accounts.signIn(email, password)).body;

describe('refreshing', () => {
  it('replaces the refresh token and continues the session', async () => {
    const person = await register(server.url);
    const { status, body } = await refresh(person.refreshToken);
    expect(status).toBe(200);
    expect(body).toMatchObject({ tokenType: 'Bearer', expiresIn: 900, user: { id: person.id } });
    expect(body.refreshToken).not.toBe(person.refreshToken);
    expect(await statusOf(body.accessToken)).toBe(200);
    expect(await statusOf(person.token)).toBe(200);
    expect((await refresh(body.refreshToken)).status).toBe(200);
  });

  it('gives the same successor to a token that comes again within 5 s, and ends the session later', async () => {
    const person = await register(server.url);
    const other = await signIn(person.email);
    const { body: next } = await refresh(person.refreshToken);
    const repeated = await refresh(person.refreshToken);
    expect([repeated.status, repeated.body.refreshToken]).toEqual([200, next.refreshToken]);
    expect(await statusOf(repeated.body.accessToken)).toBe(200);

    const reused = await waitFor('the end of the 5 s', async () => {
      const again = await refresh(person.refreshToken);
      if (again.status === 200) expect(again.body.refreshToken).toBe(next.refreshToken);
      return again.status !== 200 && again;
    });
    expect([reused.status, reused.body.code]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
    expect(reused.text).not.toContain(`user:${person.id}`);
    await refused(next.accessToken);
    await refused(person.token);
    expect((await refresh(next.refreshToken)).status).toBe(401);
    expect(await statusOf(other.accessToken)).toBe(200); // another sign-in is another family
  });

  it('gives the same successor to all of many who come at once, which continues the session', async () => {
    const person = await register(server.url);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => refresh(person.refreshToken)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const [successor = '', ...others] = new Set(answers.map(({ body }) => body.refreshToken));
    expect(others).toEqual([]);
    for (const { body } of answers) expect(await statusOf(body.accessToken)).toBe(200);
    expect((await refresh(successor)).status).toBe(200);
  });

  it('gives no successor to a token whose session has ended', async () => {
    const person = await register(server.url);
    await refresh(person.refreshToken);
    await post('/auth/sign-out', { refreshToken: person.refreshToken });
    expect((await refresh(person.refreshToken)).status).toBe(401);
  });

  it.each(['nonsense', 'A'.repeat(43)])('refuses the unknown token %p alike', async (token) => {
    const { status, body } = await refresh(token);
    expect([status, body.code]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
  });

  it('takes no access token', async () => {
    const person = await register(server.url);
    expect([400, 401]).toContain((await refresh(person.token)).status);
  });
});

describe('signing out', () => {
  it('is in force within a second, for access and refresh token, and leaves other sessions', async () => {
    const person = await register(server.url);
    const other = await signIn(person.email);
    expect(await statusOf(person.token)).toBe(200); // known to the gateway now
    const { status, text } = await post('/auth/sign-out', { refreshToken: person.refreshToken });
    expect([status, text]).toEqual([204, '']);
    await refused(person.token);
    expect((await refresh(person.refreshToken)).status).toBe(401);
    expect(await statusOf(other.accessToken)).toBe(200);
  });

  it('answers 204 to a token nobody knows, and to one that signed out', async () => {
    const person = await register(server.url);
    for (const refreshToken of ['nonsense', person.refreshToken, person.refreshToken]) {
      expect((await post('/auth/sign-out', { refreshToken })).status).toBe(204);
    }
  });
});

describe('changing the password', () => {
  const change = (person: Person, currentPassword: string, newPassword: string) =>
    person.call<ProblemBody>('PUT', '/auth/password', { body: { currentPassword, newPassword } });

  it('ends the other sessions and keeps this one', async () => {
    const person = await register(server.url);
    const other = await signIn(person.email);
    expect(await statusOf(other.accessToken)).toBe(200);
    const { status, text } = await change(person, PASSWORD, NEW);
    expect([status, text]).toEqual([204, '']);
    await refused(other.accessToken);
    expect((await refresh(other.refreshToken)).status).toBe(401);
    expect(await statusOf(person.token)).toBe(200);
    expect((await refresh(person.refreshToken)).status).toBe(200);
    expect((await signIn(person.email, NEW)).accessToken).toEqual(expect.any(String));
    expect((await signIn(person.email)).accessToken).toBeUndefined();
  });

  it.each(['too short', 'password1234'])('is refused with the weak password %p', async (weak) => {
    const person = await register(server.url);
    const { status, body } = await change(person, PASSWORD, weak);
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'newPassword']);
    const address = await change(person, PASSWORD, person.email);
    expect([address.status, address.body.errors?.[0]?.path]).toEqual([400, 'newPassword']);
  });

  it('leaves no session of the old password, not even one that begins at the same time', async () => {
    const person = await register(server.url);
    const signingIn = Array.from({ length: 8 }, () => signIn(person.email));
    expect((await change(person, PASSWORD, NEW)).status).toBe(204);
    const sessions = (await Promise.all(signingIn)).filter(({ accessToken }) => accessToken);
    for (const { accessToken, refreshToken } of sessions) {
      await refused(accessToken);
      expect((await refresh(refreshToken)).status).toBe(401);
    }
  });
});
