import { randomBytes } from 'node:crypto';
import { e2e, type FirstResult, type Result } from '../fixtures/e2e.ts';
import { NEW_PASSWORD as NEW } from '../helpers/accounts.ts';
import { type Answer, type ProblemBody, request } from '../helpers/http.ts';
import { mailTo, PASSWORD } from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';

/** Requests of this machine say from where they come. */
const TRUSTING = { TRUSTED_PROXIES: '127.0.0.1' };
const LIMIT = 3;

const { server, workspace, accounts } = e2e({
  env: { ...TRUSTING, SIGN_IN_LIMIT: `${LIMIT}/300` },
  oneProcess: true,
});

let networks = 0;
/** An address of its own, each in another network. */
const newAddress = () => `2001:db8:${(++networks).toString(16)}::1`;
const newEmail = () => `ada.${randomBytes(5).toString('hex')}@example.com`;

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const signIn = (address: string, email: string, password = PASSWORD) =>
  accounts.signIn(email, password, from(address));
const post = (path: string, body: object, address = newAddress()) =>
  accounts.post(path, body, from(address));
async function register(address: string) {
  const email = newEmail();
  const body = { email, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' };
  const { body: session } = await accounts.post<Result<'identity.signIn'>>(
    '/auth/register',
    body,
    from(address),
  );
  return { email, session };
}
const shown = ({ status, body, headers }: Answer<ProblemBody>) => ({
  status,
  code: body.code,
  retryAfter: Number(headers['retry-after'] ?? 0) > 0,
});
const REFUSED = { status: 401, code: 'INVALID_CREDENTIALS', retryAfter: false };
const WRONG = { status: 403, code: 'WRONG_PASSWORD', retryAfter: false };
const LIMITED = { status: 429, code: 'TOO_MANY_ATTEMPTS', retryAfter: true };

describe('attempts to sign in', () => {
  it('are limited by account from wherever they come, alike for one that does not exist', async () => {
    const { email } = await register(newAddress());
    for (const address of [email, newEmail()]) {
      for (let n = 0; n < LIMIT; n++) {
        expect(shown(await signIn(newAddress(), address, 'a wrong password'))).toEqual(REFUSED);
      }
      for (const password of ['a wrong password', PASSWORD]) {
        const refused = await signIn(newAddress(), address.toUpperCase(), password);
        expect(shown(refused)).toEqual(LIMITED);
        expect(refused.body.detail).not.toContain('@');
      }
    }
  });

  it('of strangers lock nobody out who was signed in from there before', async () => {
    const home = newAddress();
    const { email } = await register(home);
    const office = newAddress();
    expect((await signIn(office, email)).status).toBe(200);
    for (let n = 0; n < 2 * LIMIT; n++) await signIn(newAddress(), email, 'a wrong password');
    expect(shown(await signIn(newAddress(), email))).toEqual(LIMITED);
    expect((await signIn(home, email)).status).toBe(200);
    expect((await signIn(office, email)).status).toBe(200);
  });

  it('are limited by network, whatever the account, five times as high', async () => {
    const stranger = newAddress();
    for (let n = 0; n < 5 * LIMIT; n++) {
      const neighbour = stranger.replace(/1$/, `${n + 1}`);
      expect(shown(await signIn(neighbour, newEmail()))).toEqual(REFUSED);
    }
    expect(shown(await signIn(stranger, newEmail()))).toEqual(LIMITED);
    expect(shown(await signIn(newAddress(), newEmail()))).toEqual(REFUSED);
  });

  it('beyond the limit are told once, with the account and without address or password', async () => {
    const { email, session } = await register(newAddress());
    const stranger = newAddress();
    for (let n = 0; n < LIMIT + 3; n++) await signIn(stranger, email, 'a wrong password');
    const about = (event: string) =>
      server.logLines().filter((line) => line.event === event && line.userId === session.user.id);
    const [locked] = await waitFor('the line', () => {
      const lines = about('account.locked');
      return lines.length > 0 && lines;
    });
    expect(locked).toMatchObject({
      address: stranger,
      by: null,
      requestId: expect.any(String),
    });
    expect(about('account.locked')).toHaveLength(1);
    expect(about('account.sign-in-failed')).toHaveLength(LIMIT);
    expect(server.output()).not.toContain(email);
    expect(server.output()).not.toContain('a wrong password');
  });
});

describe('other places where a password is compared', () => {
  it('limit the change of a password by session, which strangers cannot lock', async () => {
    const { email, session } = await register(newAddress());
    for (let n = 0; n < 2 * LIMIT; n++) await signIn(newAddress(), email, 'a wrong password');
    const change = (currentPassword: string) =>
      request<ProblemBody>(server.url, 'PUT', '/auth/password', {
        body: { currentPassword, newPassword: NEW },
        token: session.accessToken,
        ...from(newAddress()),
      });
    for (let n = 0; n < LIMIT; n++) expect(shown(await change('a wrong password'))).toEqual(WRONG);
    expect(shown(await change(PASSWORD))).toEqual(LIMITED);
  });

  it('limit verification with the password by account', async () => {
    const { email } = await register(newAddress());
    const { token } = await mailTo(server.url, email);
    const verify = (proof: object) => post('/auth/email/verify', { token, ...proof });
    for (let n = 0; n < LIMIT; n++) {
      expect(shown(await verify({ password: 'a wrong password' }))).toEqual(WRONG);
    }
    expect(shown(await verify({ password: PASSWORD }))).toEqual(LIMITED);
    expect((await verify({ newPassword: NEW })).status).toBe(204);
  });
});

it('requests for a new password are limited by account and network, also for an unknown account', async () => {
  const [email, address] = [newEmail(), newAddress()];
  const forgot = (of: string) => post('/auth/password/forgot', { email: of }, address);
  for (let n = 0; n < LIMIT; n++) expect((await forgot(email)).status).toBe(202);
  expect(shown(await forgot(email.toUpperCase()))).toEqual(LIMITED);
  expect((await forgot(newEmail())).status).toBe(202);
});

it('requests for a token of a service account are limited by client and network', async () => {
  const create = () =>
    workspace.make<FirstResult<'identity.createServiceAccount'>>('/service-accounts', {
      name: 'Robot',
    });
  const [account, other] = [await create(), await create()];
  const address = newAddress();
  const ask = ({ clientId: client_id }: typeof account, client_secret: string) =>
    post('/auth/token', { grant_type: 'client_credentials', client_id, client_secret }, address);
  for (let n = 0; n < LIMIT; n++) expect((await ask(account, 'wrong')).status).toBe(401);
  const limited = await ask(account, account.clientSecret);
  expect(shown(limited)).toEqual(LIMITED);
  expect(limited.headers['content-type']).toBe('application/problem+json');
  expect((await ask(other, other.clientSecret)).status).toBe(200);
});
