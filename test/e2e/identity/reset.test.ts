import { randomBytes } from 'node:crypto';
import { e2e } from '../../fixtures/e2e.ts';
import { faultOf, type ProblemBody, request } from '../../helpers/http.ts';
import { mailTo, PASSWORD, type Person, register, registerVerified } from '../../helpers/people.ts';
import { startServer, stopServers } from '../../helpers/server.ts';
import { waitFor } from '../../helpers/wait.ts';

const NEW = 'eleven quiet harbours';
const { server } = e2e();

afterAll(stopServers);

const post = <T = ProblemBody>(path: string, body: object, base = server.url) =>
  request<T>(base, 'POST', path, { body });
const forgot = (email: string) => post('/auth/password/forgot', { email });
const reset = (token: string, newPassword = NEW) =>
  post('/auth/password/reset', { token, newPassword });
const signIn = (email: string, password: string) =>
  post<ProblemBody & { accessToken: string; refreshToken: string }>('/auth/sign-in', {
    email,
    password,
  });
const mailsTo = async (to: string) =>
  (await request<{ subject: string }[]>(server.url, 'GET', '/dev/outbox', { query: { to } })).body;
const tokenFor = async (email: string) =>
  (await mailTo(server.url, email, 'Set a new password')).token;
const refused = (token: string) =>
  waitFor('the refusal', async () => {
    return (await request(server.url, 'GET', '/auth/me', { token })).status === 401;
  });
async function askedFor(person: Person): Promise<string> {
  expect((await forgot(person.email)).status).toBe(202);
  return tokenFor(person.email);
}

describe('asking for a new password', () => {
  it('is answered alike with and without an account', async () => {
    const person = await registerVerified(server.url);
    const known = await forgot(person.email);
    const unknown = await forgot(`nobody.${randomBytes(5).toString('hex')}@example.com`);
    expect([known.status, known.text]).toEqual([202, '']);
    expect([unknown.status, unknown.text]).toEqual([202, '']);
    expect(Object.keys(unknown.headers)).toEqual(Object.keys(known.headers));
  });

  it('mails nothing to an address without account, and nothing to a directory entry', async () => {
    const person = await registerVerified(server.url);
    const entry = `entry.${randomBytes(5).toString('hex')}@example.com`;
    await person.call('POST', '/users', { body: { email: entry, firstName: 'E', lastName: 'O' } });
    const unknown = `nobody.${randomBytes(5).toString('hex')}@example.com`;
    for (const email of [entry, unknown, person.email]) {
      expect((await forgot(email)).status).toBe(202);
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
    expect((await post('/auth/email/verify', { token, newPassword: NEW })).status).toBe(204);
    await refused(stranger.token);
  });

  it('is limited by account and network', async () => {
    const limited = await startServer({ env: { SIGN_IN_LIMIT: '2/300' }, oneProcess: true });
    const ask = (email: string) => post('/auth/password/forgot', { email }, limited.url);
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await ask('nobody@example.com')).status);
    expect(statuses).toEqual([202, 202, 429]);
    const { status, body, headers } = await ask('NOBODY@example.com');
    expect([status, body.code]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask('somebody@example.com')).status).toBe(202);
    await limited.stop();
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
      expect((await post('/auth/refresh', { refreshToken })).status).toBe(401);
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
    expect((await post('/auth/refresh', { refreshToken })).status).toBe(401);
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
    const answer = await post('/auth/email/verify', { token, newPassword: NEW });
    expect(faultOf(answer)).toEqual([400, ['token']]);
  });
});
