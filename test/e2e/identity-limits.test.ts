import { randomBytes } from 'node:crypto';
import { e2e, type Refusable, type Result } from '../fixtures/e2e.ts';
import { type Answer, type ProblemBody, request } from '../helpers/http.ts';
import { mailTo, PASSWORD } from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';

const NEW = 'eleven quiet harbours';
/** Requests of this machine say from where they come. */
const TRUSTING = { TRUSTED_PROXIES: '127.0.0.1' };
const LIMIT = 3;

const { server } = e2e({ env: { ...TRUSTING, SIGN_IN_LIMIT: `${LIMIT}/300` }, oneProcess: true });

type Session = Result<'identity.signIn'>;
let networks = 0;
/** An address of its own, each in another network. */
const newAddress = () => `2001:db8:${(++networks).toString(16)}::1`;
const newEmail = () => `ada.${randomBytes(5).toString('hex')}@example.com`;

const from =
  (address: string) =>
  <T = ProblemBody>(method: string, path: string, body: object, token?: string) =>
    request<T>(server.url, method, path, {
      body,
      ...(token === undefined ? {} : { token }),
      headers: { 'x-forwarded-for': address },
    });
const signIn = (address: string, email: string, password = PASSWORD) =>
  from(address)<Refusable<Session>>('POST', '/auth/sign-in', { email, password });
async function register(address: string) {
  const email = newEmail();
  const body = { email, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' };
  return {
    email,
    session: (await from(address)<Session>('POST', '/auth/register', body)).body,
  };
}
const shown = ({ status, body, headers }: Answer<ProblemBody>) => ({
  status,
  code: body.code,
  retryAfter: Number(headers['retry-after'] ?? 0) > 0,
});
const REFUSED = { status: 401, code: 'INVALID_CREDENTIALS', retryAfter: false };
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
      from(newAddress())(
        'PUT',
        '/auth/password',
        { currentPassword, newPassword: NEW },
        session.accessToken,
      );
    for (let n = 0; n < LIMIT; n++) {
      expect((await change('a wrong password')).body.code).toBe('WRONG_PASSWORD');
    }
    expect(shown(await change(PASSWORD))).toEqual(LIMITED);
  });

  it('limit verification with the password by account', async () => {
    const { email } = await register(newAddress());
    const { token } = await mailTo(server.url, email);
    const verify = (proof: object) =>
      from(newAddress())('POST', '/auth/email/verify', { token, ...proof });
    for (let n = 0; n < LIMIT; n++) {
      expect((await verify({ password: 'a wrong password' })).body.code).toBe('WRONG_PASSWORD');
    }
    expect(shown(await verify({ password: PASSWORD }))).toEqual(LIMITED);
    expect((await verify({ newPassword: NEW })).status).toBe(204);
  });
});
