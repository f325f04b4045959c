import { randomBytes } from 'node:crypto';
import { e2e } from '../../fixtures/e2e.ts';
import { NEW_PASSWORD as NEW } from '../../helpers/accounts.ts';
import { faultOf, request } from '../../helpers/http.ts';
import { mailTo, PASSWORD, type Person, register, registerVerified } from '../../helpers/people.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, accounts } = e2e();
const { post, verify, signIn, refresh, refused, mailsTo } = accounts;
const forgot = (email: string) => post('/auth/password/forgot', { email });
const reset = (token: string, newPassword = NEW) =>
  post('/auth/password/reset', { token, newPassword });
const tokenFor = async (email: string) =>
  (await mailTo(server.url, email, 'Set a new password')).token;
async function askedFor(person: Person): Promise<string> {
  expect((await forgot(person.email)).status).toBe(202);
  return tokenFor(person.email);
}

describe('asking for a new password', () => {
  it('is answered alike without an account, and mails nothing to such an address or to a directory entry', async () => {
    const person = await registerVerified(server.url);
    const entry = `entry.${randomBytes(5).toString('hex')}@example.com`;
    await person.call('POST', '/users', { body: { email: entry, firstName: 'E', lastName: 'O' } });
    const unknown = `nobody.${randomBytes(5).toString('hex')}@example.com`;
    const answers = [await forgot(entry), await forgot(unknown), await forgot(person.email)];
    for (const { status, text, headers } of answers) {
      expect([status, text]).toEqual([202, '']);
      expect(Object.keys(headers)).toEqual(Object.keys(answers[2]?.headers ?? {}));
    }
    await tokenFor(person.email); // asked for last
    expect([await mailsTo(entry), await mailsTo(unknown)]).toEqual([[], []]);
  });

  it('mails an address once an hour, and again once the token was used', async () => {
    const person = await registerVerified(server.url);
    const first = await askedFor(person);
    for (let n = 0; n < 4; n++) expect((await forgot(person.email)).status).toBe(202);
    expect((await reset(first)).status).toBe(204);
    const count = async () =>
      (await mailsTo(person.email)).filter(({ subject }) => subject === 'Set a new password')
        .length;
    expect(await count()).toBe(1);
    await forgot(person.email);
    await waitFor('the second mail', async () => (await count()) === 2);
  });

  it('asks an address that is not verified for its proof instead, which takes a new password', async () => {
    const stranger = await register(server.url);
    expect((await forgot(stranger.email)).status).toBe(202);
    const { token } = await mailTo(server.url, stranger.email);
    expect(faultOf(await reset(token))).toEqual([400, ['token']]);
    expect((await mailsTo(stranger.email)).map(({ subject }) => subject)).toEqual([
      'Verify your e-mail address',
    ]);
    expect((await verify({ token, newPassword: NEW })).status).toBe(204);
    await refused(stranger.token);
  });
});

describe('a token for a new password', () => {
  it('sets it and ends every session', async () => {
    const person = await registerVerified(server.url);
    const other = (await signIn(person.email, PASSWORD)).body;
    const { status, text } = await reset(await askedFor(person));
    expect([status, text]).toEqual([204, '']);
    await refused(person.token);
    await refused(other.accessToken);
    for (const { refreshToken } of [person, other]) {
      expect((await refresh(refreshToken)).status).toBe(401);
    }
    expect((await signIn(person.email, PASSWORD)).status).toBe(401);
    expect((await signIn(person.email, NEW)).status).toBe(200);
  });

  it('works once, and a refusal does not use it up', async () => {
    const person = await registerVerified(server.url);
    const token = await askedFor(person);
    expect(faultOf(await reset(token, 'password1234'))).toEqual([400, ['newPassword']]);
    expect(faultOf(await reset(token, person.email))).toEqual([400, ['newPassword']]);
    const both = await Promise.all([reset(token, `${NEW} one`), reset(token, `${NEW} two`)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 400]);
    expect(faultOf(await reset(token))).toEqual([400, ['token']]);
  });

  it('outlives a change of the password by a thief, and ends the sessions of the thief', async () => {
    const owner = await registerVerified(server.url);
    const token = await askedFor(owner);
    const thief = (await signIn(owner.email, PASSWORD)).body;
    const changed = await request(server.url, 'PUT', '/auth/password', {
      token: thief.accessToken,
      body: { currentPassword: PASSWORD, newPassword: 'a password of a thief' },
    });
    expect(changed.status).toBe(204);
    expect((await reset(token)).status).toBe(204);
    await refused(thief.accessToken);
    const { refreshToken } = thief;
    expect((await refresh(refreshToken)).status).toBe(401);
    expect((await signIn(owner.email, 'a password of a thief')).status).toBe(401);
    expect((await signIn(owner.email, NEW)).status).toBe(200);
    expect(faultOf(await reset(token))).toEqual([400, ['token']]);
  });

  it.each(['nonsense', 'A'.repeat(43), ''])('that is %p is refused', async (token) => {
    expect(faultOf(await reset(token))).toEqual([400, ['token']]);
  });

  it('verifies no address', async () => {
    const person = await registerVerified(server.url);
    const token = await askedFor(person);
    const answer = await verify({ token, newPassword: NEW });
    expect(faultOf(answer)).toEqual([400, ['token']]);
  });
});
